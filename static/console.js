// Comfort in the console: tells the server the admin's zone, and what a typed time is elsewhere.
// The pages work without it.

import { localTimes } from "./site.js";

const COOKIE = "seckill_zone";
const YEAR_S = 31_536_000;

// Once, where nothing is known: the page is asked for again in the admin's own zone.
function tellZone() {
  if (!document.querySelector("[data-asks-zone]") || hasCookie()) return;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone || !/^[A-Za-z0-9_+\-/]+$/.test(zone)) return;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${COOKIE}=${zone}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax${secure}`;
  if (hasCookie() && zone !== "UTC") location.reload();
}

function hasCookie() {
  return document.cookie.split("; ").some((cookie) => cookie.startsWith(`${COOKIE}=`));
}

// Minutes that clocks in the zone are ahead of UTC at a moment.
function ahead(zone, ms) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric",
    hour: "numeric", minute: "numeric", second: "numeric",
  });
  const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const shown = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second);
  return shown - Math.floor(ms / 1000) * 1000;
}

// The moment that clocks in the zone show so. Where they show it never or twice, the server asks.
function momentOf(typed, zone) {
  const shown = Date.parse(`${typed}Z`);
  if (Number.isNaN(shown)) return NaN;
  const day = 86_400_000;
  const readings = new Set();
  for (const off of [ahead(zone, shown - day), ahead(zone, shown + day)]) {
    if (ahead(zone, shown - off) === off) readings.add(shown - off);
  }
  return readings.size === 1 ? [...readings][0] : NaN;
}

function distance(ms, language) {
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const minutes = Math.round((ms - Date.now()) / 60_000);
  if (Math.abs(minutes) < 120) return words.format(minutes, "minute");
  const hours = Math.round(minutes / 60);
  return Math.abs(hours) < 48 ? words.format(hours, "hour") : words.format(Math.round(hours / 24), "day");
}

function tellTimes() {
  const zone = document.getElementById("zone")?.value;
  const language = document.documentElement.lang;
  for (const place of document.querySelectorAll("[data-tells]")) {
    const typed = document.getElementById(place.dataset.tells)?.value;
    let ms = NaN;
    try { ms = typed && zone ? momentOf(typed, zone) : NaN; } catch { /* a zone that this browser lacks */ }
    place.hidden = Number.isNaN(ms);
    if (place.hidden) continue;
    const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
    place.textContent = `= ${format.format(ms)} UTC · ${distance(ms, language)}`;
  }
}

// A page about a sale follows it: what is marked is taken anew from the page as it is now, unless somebody
// is at it.
async function follow() {
  const parts = [...document.querySelectorAll("[data-follows]")];
  if (document.hidden || parts.length === 0) return;
  try {
    const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(4000) });
    if (!answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of parts) {
      const fresh = page.getElementById(part.id);
      if (!fresh || isBusy(part)) continue;
      localTimes(fresh);
      part.replaceWith(document.adoptNode(fresh));
    }
  } catch { /* the next look is soon */ }
}

function isBusy(part) {
  const typed = [...part.querySelectorAll("input:not([type=hidden])")].some((input) => input.value !== "");
  return typed || part.contains(document.activeElement) || part.querySelector("details[open], [aria-busy=true]") !== null;
}

if (document.querySelector("[data-follows]")) setInterval(follow, 3000);
tellZone();
tellTimes();
document.addEventListener("input", tellTimes);
document.addEventListener("change", tellTimes);
// What is wrong is read first.
document.querySelector("#faults, #warnings, #changed, #trouble")?.focus();
