// Single-key shortcuts (docs/keyboard.md): an element declares its key in `data-key`. Loaded with `defer`.
(() => {
  // WCAG 2.1.4: they can be turned off. Without localStorage they stay on.
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

  // The link of a table row or feed item: its name, or the last link of the text.
  const linkIn = (row) => row.querySelector("th a[href]") ?? [...row.querySelectorAll("p a[href]")].at(-1);
  const rowOf = (element) => element?.closest("main tbody tr, main .feed > li");
  const links = () =>
    [...document.querySelectorAll("main tbody tr, main .feed > li")].map(linkIn).filter((link) => link?.checkVisibility());

  const step = (by) => {
    const all = links();
    const now = all.findIndex((link) => rowOf(link) === rowOf(document.activeElement));
    all[now === -1 ? 0 : now + by]?.focus();
  };

  // The main subject of the page has its address in `data-link`, whichever part of it is shown.
  const copyLink = async (named) => {
    const live = document.getElementById("live");
    try {
      await navigator.clipboard.writeText(new URL(named.dataset.link, location.origin).href);
    } catch {
      // Browsers offer the clipboard only over HTTPS and on localhost.
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
    // Autofill fires keydown events without a key.
    if (event.key?.length !== 1 || isOff()) return;
    const isStep = event.key === "j" || event.key === "k";
    if (event.repeat && !isStep) return;
    // In text fields and selects a letter is input; a checkbox only uses the space.
    if (event.target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]')) return;
    if (event.key === " " || document.querySelector(":modal, :popover-open")) return;
    const isSecond = before.key === "g" && event.timeStamp - before.at < 1500;
    before = { key: event.key, at: event.timeStamp };
    if (event.key === "/") {
      // The search field of the page takes precedence over the global one in the top bar.
      const boxes = ["main", ".topbar"].flatMap((place) => [...document.querySelectorAll(`${place} input[type="search"]`)]);
      const box = boxes.find((one) => one.checkVisibility());
      if (!box) return;
      event.preventDefault();
      box.focus();
    } else if (press(isSecond ? `g ${event.key}` : event.key)) event.preventDefault();
  });
})();
