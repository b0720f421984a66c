// Follows an order: asks where it stands, less and less often, until nothing can change any more.

import { refresh } from "./site.js";

const FIRST_MS = { reserved: 500, checking: 1000, pending_payment: 8000 };
const LONGEST_MS = { reserved: 8000, checking: 8000, pending_payment: 30_000 };
const GROWTH = 1.5;

let wait = 0;
let pending = 0;

function state() {
  return document.getElementById("live")?.dataset.state;
}

// While a payment is under way the news is close.
function isPaying() {
  return document.getElementById("live")?.dataset.paying !== undefined;
}

function pace() {
  return isPaying() ? "checking" : state();
}

function start() {
  wait = FIRST_MS[pace()];
  next();
}

function next(atLeast = 0) {
  clearTimeout(pending);
  if (wait === undefined) return;
  pending = setTimeout(ask, Math.max(atLeast, wait * (0.8 + 0.4 * Math.random())));
  wait = Math.min(wait * GROWTH, LONGEST_MS[pace()] ?? wait);
}

async function ask() {
  if (document.hidden) { next(); return; }
  try {
    const answer = await fetch(document.getElementById("live").dataset.address, {
      headers: { Accept: "application/json" }, cache: "no-store", signal: AbortSignal.timeout(8000),
    });
    if (answer.ok) {
      // What became of the payment is on the page alone.
      if ((await answer.json()).state !== state() || isPaying()) {
        const wasPaying = isPaying();
        await refresh();
        if (!wasPaying || !isPaying()) { start(); return; }
      }
    } else if (answer.status === 401 || answer.status === 404) {
      location.assign(document.getElementById("live").dataset.address);
      return;
    }
    next(1000 * (Number(answer.headers.get("Retry-After")) || 0));
  } catch {
    next();
  }
}

document.addEventListener("countdown-end", () => { wait = 1000; next(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden) start(); });
addEventListener("pageshow", (event) => { if (event.persisted) start(); });
start();
