// What every page does: countdowns, local times, one submit at a time. Pages work without it.

import "./countdown.js";

const RELEASE_MS = 20_000;

/** Shows each <time data-local> in the visitor's own zone and language. */
export function localTimes(root) {
  const to = (seconds) => new Intl.DateTimeFormat(document.documentElement.lang, {
    year: "numeric", month: "short", day: "numeric",
    hour: "2-digit", minute: "2-digit", ...seconds, hourCycle: "h23", timeZoneName: "short",
  });
  const [minute, second] = [to({}), to({ second: "2-digit" })];
  for (const time of root.querySelectorAll("time[data-local]")) {
    time.title ||= time.textContent.trim();
    const format = time.dataset.local === "seconds" ? second : minute;
    time.textContent = format.format(new Date(time.dateTime));
  }
}

/** Puts what the server says now in the place of the page's live part. */
export async function refresh() {
  const address = document.getElementById("live")?.dataset.address;
  if (!address) return;
  const answer = await fetch(address, {
    headers: { Accept: "text/html" }, cache: "no-store", signal: AbortSignal.timeout(8000),
  });
  if (answer.redirected) { location.assign(answer.url); return; }
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("live");
  const live = document.getElementById("live");
  if (!fresh || !live) { location.reload(); return; }
  // An open question or a submit under way is not swept away under the visitor's hands.
  const sameState = fresh.dataset.state === live.dataset.state;
  if (live.querySelector("[data-sent]") || (sameState && live.querySelector("details[open]"))) return;
  const focused = live.contains(document.activeElement) ? document.activeElement.id : "";
  localTimes(fresh);
  document.title = page.title;
  live.replaceWith(document.adoptNode(fresh));
  const announce = document.getElementById("announce");
  if (announce && !sameState) announce.textContent = fresh.querySelector("[data-says]")?.textContent ?? "";
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  if (form.dataset.sent) { event.preventDefault(); return; }
  form.dataset.sent = "yes";
  // After the browser has read the form: a disabled button would not be sent along.
  setTimeout(() => hold(form));
  setTimeout(() => release(form), RELEASE_MS);
});

// Back from another page, or out of the browser's memory: everything can be pressed again.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) release(form);
});

function hold(form) {
  for (const button of form.querySelectorAll("button:enabled")) {
    button.disabled = true;
    button.dataset.held = button.textContent;
    button.setAttribute("aria-busy", "true");
    if (button.dataset.busyWith) button.textContent = button.dataset.busyWith;
  }
}

function release(form) {
  delete form.dataset.sent;
  for (const button of form.querySelectorAll("button[data-held]")) {
    button.disabled = false;
    button.textContent = button.dataset.held;
    delete button.dataset.held;
    button.removeAttribute("aria-busy");
  }
}

localTimes(document);
