// Keeps a dashboard fresh: each event holds the markup of a part of the page. Without it the page reloads.

import { localTimes } from "./site.js";

const AGAIN_MS = 3000;
// The server is never silent for longer than ten seconds.
const SILENT_MS = 25_000;

let source = null;
let heard = 0;
// A link that is pressed must still be there when it is let go.
let pressed = false;

function start() {
  stop();
  const address = document.getElementById("figures")?.dataset.stream;
  if (!address || document.hidden) return;
  heard = performance.now();
  source = new EventSource(address);
  source.addEventListener("open", () => connected(true));
  source.addEventListener("figures", (event) => show("figures", event.data));
  source.addEventListener("pictures", (event) => show("pictures", event.data));
  // Nothing changes any more, and the page looks different from now on.
  source.addEventListener("over", () => { stop(); location.reload(); });
  source.addEventListener("error", () => {
    connected(false);
    // Else the browser asks again by itself.
    if (source?.readyState === EventSource.CLOSED) setTimeout(askAgain, AGAIN_MS);
  });
}

function stop() {
  source?.close();
  source = null;
}

// The stream was refused: because the node is away, or because the viewer may not watch any more.
async function askAgain() {
  try {
    const answer = await fetch(location.href, {
      method: "HEAD", redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(8000),
    });
    if (answer.ok) { start(); return; }
    if (answer.type === "opaqueredirect" || answer.status < 500) { location.reload(); return; }
  } catch {
    // Nobody answers; later perhaps.
  }
  setTimeout(askAgain, AGAIN_MS);
}

function show(id, markup) {
  heard = performance.now();
  connected(true);
  const part = document.getElementById(id);
  if (pressed) return;
  const fresh = new DOMParser().parseFromString(markup, "text/html").body;
  localTimes(fresh);
  const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  part.replaceChildren(...[...fresh.childNodes].map((node) => document.adoptNode(node)));
  if (focused) part.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

function connected(yes) {
  document.getElementById("connection").hidden = yes;
}

setInterval(() => {
  if (source && performance.now() - heard > SILENT_MS) { connected(false); start(); }
}, AGAIN_MS);
addEventListener("pointerdown", () => { pressed = true; });
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { setTimeout(() => { pressed = false; }); });
document.addEventListener("visibilitychange", () => { if (document.hidden) stop(); else start(); });
addEventListener("pagehide", stop);
addEventListener("pageshow", (event) => { if (event.persisted) start(); });
start();
