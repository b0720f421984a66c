// The server's clock. The visitor's own clock is never asked: it may be a day off.
// performance.now() only measures what has passed since the server was last asked.

const SAMPLES = 4;
const SAMPLE_PAUSE_MS = 120;
const TIMEOUT_MS = 4000;
const EVERY_MS = 60_000;

// Server time minus performance.now(). The page itself carries a first value: the server wrote it
// shortly before the answer began to arrive.
let offset = Number(document.documentElement.dataset.now) - pageArrival();
let askedAt = -Infinity;
let asking = null;

/** Milliseconds since the epoch by the server's clock. */
export function now() {
  return performance.now() + offset;
}

/** Asks the server, unless it is being asked already. */
export function sync() {
  asking ??= ask().finally(() => { asking = null; });
  return asking;
}

/** How long ago the server was last asked, in milliseconds. */
export function age() {
  return performance.now() - askedAt;
}

async function ask() {
  let best = null;
  for (let i = 0; i < SAMPLES; i += 1) {
    if (i > 0) await new Promise((resolve) => setTimeout(resolve, SAMPLE_PAUSE_MS));
    const sample = await takeSample();
    if (sample && (!best || sample.roundTrip < best.roundTrip)) best = sample;
  }
  askedAt = performance.now();
  if (best) offset = best.offset;
}

// The answer was written about half a round trip before it arrived.
async function takeSample() {
  try {
    const sent = performance.now();
    const answer = await fetch("/time", { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const received = performance.now();
    const { now_ms: serverNow } = await answer.json();
    if (!Number.isFinite(serverNow)) return null;
    const roundTrip = received - sent;
    return { roundTrip, offset: serverNow + roundTrip / 2 - received };
  } catch {
    return null;
  }
}

function pageArrival() {
  const navigation = performance.getEntriesByType("navigation")[0];
  return navigation?.responseStart || performance.now();
}

// A laptop may sleep through the start, and performance.now() may sleep with it.
setInterval(sync, EVERY_MS);
addEventListener("online", sync);
addEventListener("pageshow", (event) => { if (event.persisted) sync(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden) sync(); });
