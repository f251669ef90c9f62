// Single keys press what a page has (docs/keyboard.md): an element says its key by `data-key`. Loaded with `defer`.
(() => {
  // WCAG 2.1.4: they can be turned off. Where a browser keeps nothing they stay on.
  const isOff = () => {
    try {
      return localStorage.getItem("keys") === "off";
    } catch {
      return false;
    }
  };

  const choice = document.querySelector("[data-key-switch]");
  if (choice) {
    choice.checked = !isOff();
    choice.addEventListener("change", () => {
      try {
        if (choice.checked) localStorage.removeItem("keys");
        else localStorage.setItem("keys", "off");
      } catch {
        choice.checked = true;
      }
    });
  }

  // What opens a row of a table or a line of activity: its name, or the last thing that the line speaks of.
  const linkIn = (row) => row.querySelector("th a[href]") ?? [...row.querySelectorAll("p a[href]")].at(-1);
  const rowOf = (element) => element?.closest("main tbody tr, main .feed > li");
  const links = () =>
    [...document.querySelectorAll("main tbody tr, main .feed > li")].map(linkIn).filter((link) => link?.checkVisibility());

  const step = (by) => {
    const all = links();
    const now = all.findIndex((link) => rowOf(link) === rowOf(document.activeElement));
    all[now === -1 ? 0 : now + by]?.focus();
  };

  // What the page is about says its address by `data-link`, whatever part of it is shown.
  const copyLink = async (named) => {
    const live = document.getElementById("live");
    try {
      await navigator.clipboard.writeText(new URL(named.dataset.link, location.origin).href);
    } catch {
      // Browsers offer the clipboard on HTTPS and on this computer only.
      return;
    }
    live.textContent = "Link copied";
    live.className = "said";
    setTimeout(() => {
      live.className = "sr";
    }, 1600);
  };

  const ofRow = {
    j: () => step(1),
    k: () => step(-1),
    o: (row) => linkIn(row)?.click(),
    x: (row) => row.querySelector('input[type="checkbox"][name]')?.click(),
  };

  const press = (keys) => {
    if (keys === "j" || keys === "k") return ofRow[keys]();
    const row = rowOf(document.activeElement);
    if (ofRow[keys]) return row && ofRow[keys](row);
    const named = keys === "y" && document.querySelector("[data-link]");
    if (named) return copyLink(named);
    const all = [...document.querySelectorAll(`[data-key="${CSS.escape(keys)}"]`)];
    const target = all.find((one) => one.checkVisibility()) ?? all[0];
    if (target?.matches("input, textarea")) target.focus();
    else target?.click();
    return target;
  };

  let before = { key: "", at: 0 };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    // A browser that fills a form in says that keys went down, and not which.
    if (event.key?.length !== 1 || isOff()) return;
    const isStep = event.key === "j" || event.key === "k";
    if (event.repeat && !isStep) return;
    // Where one types or chooses a letter is a letter; a box has no use for any but the space.
    if (event.target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]')) return;
    if (event.key === " " || document.querySelector(":modal, :popover-open")) return;
    const isSecond = before.key === "g" && event.timeStamp - before.at < 1500;
    before = { key: event.key, at: event.timeStamp };
    if (event.key === "/") {
      // The search of what the page is about goes before the one of everything, in its bar.
      const boxes = ["main", ".topbar"].flatMap((place) => [...document.querySelectorAll(`${place} input[type="search"]`)]);
      const box = boxes.find((one) => one.checkVisibility());
      if (!box) return;
      event.preventDefault();
      box.focus();
    } else if (press(isSecond ? `g ${event.key}` : event.key)) event.preventDefault();
  });
})();
