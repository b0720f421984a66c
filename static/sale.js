// The list of sales and the page of one: opens the button at the start, and keeps asking.

import { refresh } from "./site.js";

const WAITING_MS = { open: 12_000, "sold-out": 15_000, paused: 5000, restoring: 3000 };
const OTHERWISE_MS = 30_000;

let pending = 0;

// Somewhere between half and one and a half of it, so that a crowd does not ask in step.
function askIn(ms) {
  clearTimeout(pending);
  pending = setTimeout(ask, ms * (0.5 + Math.random()));
}

async function ask() {
  if (!document.hidden) {
    try { await refresh(); } catch { /* the next time will do */ }
  }
  askIn(WAITING_MS[document.getElementById("live")?.dataset.state] ?? OTHERWISE_MS);
}

function open() {
  const button = document.querySelector("button[data-opens-with]");
  if (!button?.disabled) return;
  button.disabled = false;
  button.textContent = button.dataset.opensWith;
  const announce = document.getElementById("announce");
  if (announce) announce.textContent = announce.dataset.opened;
}

document.addEventListener("countdown-end", () => {
  open();
  askIn(1500);
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) askIn(300); });
addEventListener("pageshow", (event) => { if (event.persisted) askIn(100); });

askIn(WAITING_MS[document.getElementById("live")?.dataset.state] ?? OTHERWISE_MS);
