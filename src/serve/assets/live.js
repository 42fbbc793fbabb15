// Keeps the parts of a page that change as they are at the service: each element with `data-live` names the address of its part, and maybe
// of events (`data-events`) that say when to look; without, it looks every few seconds.
const EVERY_MS = 2000;
const AT_MOST_EVERY_MS = 300;

for (const part of document.querySelectorAll("[data-live]")) {
  let shown = part.innerHTML;
  let timer = 0;
  let isLooking = false;

  const look = async () => {
    timer = 0;
    if (document.hidden || isLooking || part.contains(document.activeElement)) return;
    isLooking = true;
    try {
      const answer = await fetch(part.dataset.live, { headers: { Accept: "text/html" } });
      if (answer.status === 401) location.assign("/login");
      if (!answer.ok || answer.redirected) return;
      const html = await answer.text();
      if (html !== shown) {
        shown = html;
        part.innerHTML = html;
      }
    } catch {
      // The service may be on its way back.
    } finally {
      isLooking = false;
    }
  };
  const soon = () => {
    if (!timer) timer = setTimeout(look, AT_MOST_EVERY_MS);
  };

  if (part.dataset.events) {
    const events = new EventSource(part.dataset.events);
    const kinds = ["started", "assessed", "decided", "finished", "stopped", "unreadable", "failed", "ended"];
    for (const kind of kinds) events.addEventListener(kind, soon);
    events.onopen = soon;
  } else {
    setInterval(soon, EVERY_MS);
  }
  document.addEventListener("visibilitychange", soon);
}
