// Counts down every [data-until] on the server's clock, and says when one has ended:
// a "countdown-end" event on the element, once.

import { age, now, sync } from "./clock.js";

const TICK_MS = 200;
const NEAR_MS = 120_000;
const NEAR_AGE_MS = 15_000;
const SLEEP_MS = 3000;

const ended = new WeakSet();
let lastTick = { steady: performance.now(), wall: Date.now() };

function tick() {
  const timers = document.querySelectorAll("[data-until]");
  let near = false;
  for (const timer of timers) {
    const left = Number(timer.dataset.until) - now();
    near ||= left > 0 && left < NEAR_MS;
    show(timer, left);
    if (left <= 0 && !ended.has(timer)) {
      ended.add(timer);
      timer.dispatchEvent(new CustomEvent("countdown-end", { bubbles: true }));
    }
  }
  reveal();
  if (timers.length > 0 && (slept() || age() > (near ? NEAR_AGE_MS : Infinity))) sync();
}

// Whether the machine slept since the last tick. In some browsers performance.now() sleeps with it, and
// only the visitor's clock has gone on; that it did is all that is taken from it.
function slept() {
  const tick = { steady: performance.now(), wall: Date.now() };
  const [steady, wall] = [tick.steady - lastTick.steady, tick.wall - lastTick.wall];
  lastTick = tick;
  return steady > SLEEP_MS || wall - steady > SLEEP_MS;
}

// Rounded up, so that zero is never shown too early.
function show(timer, left) {
  const seconds = Math.max(0, Math.ceil(left / 1000));
  const days = Math.floor(seconds / 86_400);
  write(timer, "days", String(days));
  write(timer, "hours", two(Math.floor(seconds / 3600) % 24));
  write(timer, "minutes", two(Math.floor(seconds / 60) % 60));
  write(timer, "seconds", two(seconds % 60));
  // Days and hours only while there are some.
  hide(timer, "days", days === 0);
  hide(timer, "hours", seconds < 3600);
  timer.classList.toggle("countdown-near", left > 0 && left < alarm(timer));
}

// From when on it looks urgent: a minute, unless the page says otherwise.
function alarm(timer) {
  return Number(timer.closest("[data-near]")?.dataset.near ?? 60_000);
}

function write(timer, part, text) {
  const element = timer.querySelector(`[data-part=${part}]`);
  if (element && element.textContent !== text) element.textContent = text;
}

function hide(timer, part, hidden) {
  const unit = timer.querySelector(`[data-part=${part}]`)?.parentElement;
  if (unit && unit.hidden !== hidden) unit.hidden = hidden;
}

function two(number) {
  return String(number).padStart(2, "0");
}

function reveal() {
  for (const element of document.querySelectorAll("[data-reveal-after]")) {
    const due = Number(element.dataset.revealAfter) <= now();
    if (element.hidden === due) element.hidden = !due;
  }
}

if (document.querySelector("[data-until]")) sync();
setInterval(tick, TICK_MS);
tick();
