// Progressive enhancement only: every page works without this file. Loaded with `defer`.
// The server renders the theme from the cookie; this file changes it.
(() => {
  const root = document.documentElement;
  const modes = ["system", "light", "dark"];
  const theme = () => root.dataset.theme ?? "system";

  const setTheme = (mode) => {
    if (mode === "system") delete root.dataset.theme;
    else root.dataset.theme = mode;
    const age = mode === "system" ? 0 : 31536000;
    const [host, secure] = location.protocol === "https:" ? ["__Host-", "; Secure"] : ["", ""];
    // Over https it has had its prefix since November 2026.
    document.cookie = `theme=; Path=/; Max-Age=0${secure}`;
    document.cookie = `${host}theme=${mode}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`;
    for (const button of document.querySelectorAll("[data-theme-next]")) {
      const next = modes[(modes.indexOf(mode) + 1) % 3];
      button.setAttribute("aria-label", `Theme: ${mode}. Switch to ${next}.`);
      for (const icon of button.querySelectorAll("[data-mode]")) icon.toggleAttribute("data-on", icon.dataset.mode === mode);
    }
  };

  // What somebody chose on a page is kept in the browser only; where it has no room for that, until the page is left.
  const recall = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  const remember = (name, value) => {
    try {
      if (value) localStorage.setItem(name, value);
      else localStorage.removeItem(name);
    } catch {}
  };

  const say = (text) => {
    const live = document.getElementById("live");
    if (live) live.textContent = text;
  };

  const select = (element) => {
    if (element.select) return element.select();
    const range = document.createRange();
    range.selectNodeContents(element);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  };

  const copy = async (button) => {
    const source = document.getElementById(button.dataset.copy);
    const label = button.querySelector("span");
    // The page contains a secret only once: it is inserted into the copied text here.
    const filler = document.getElementById(button.dataset.fill)?.dataset.value;
    const text = (source.dataset.value ?? source.value ?? source.textContent).trim();
    try {
      await navigator.clipboard.writeText(filler ? text.replaceAll(button.dataset.fillWord, () => filler) : text);
      say("Copied");
      if (!label || button.dataset.busy) return;
      const before = label.textContent;
      button.dataset.busy = "yes";
      label.textContent = "Copied";
      setTimeout(() => {
        label.textContent = before;
        delete button.dataset.busy;
      }, 1600);
    } catch {
      // Browsers offer the clipboard only over HTTPS and on localhost.
      if (source.dataset.value && source.dataset.value !== source.textContent) source.textContent = source.dataset.value;
      select(source);
      say("Copy failed. The text is selected, copy it by hand.");
    }
  };

  // Saves text of the page as a file. Made here, so that a secret is not sent again: data-save="id id" data-file="name".
  const save = (button) => {
    const texts = button.dataset.save.split(" ").map((id) => document.getElementById(id).textContent.trim());
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`${texts.join("\n\n")}\n`], { type: "text/plain" }));
    link.download = button.dataset.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    say("Downloaded");
  };

  const reveal = (button) => {
    const target = document.getElementById(button.dataset.reveal);
    const show = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(show));
    if (target.matches("input")) target.type = show ? "text" : "password";
    else {
      target.dataset.mask ??= target.textContent;
      target.textContent = show ? target.dataset.value : target.dataset.mask;
    }
  };

  // Without this file dialogs open as popovers; with it they are modal.
  const dialogOf = (button) => {
    const target = document.getElementById(button.getAttribute("popovertarget") ?? "");
    return target?.matches("dialog.modal") ? target : null;
  };

  // A question with a page of its own is asked in a dialog of this page: <a data-ask> leads to a page with <form data-asked>.
  const ask = (link) => {
    const request = new XMLHttpRequest();
    request.open("GET", link.href);
    request.responseType = "document";
    request.addEventListener("loadend", () => {
      const form = request.response?.querySelector("form[data-asked]");
      if (!form) return location.assign(link.href);
      if (document.querySelector("dialog[open]")) return;
      const dialog = document.createElement("dialog");
      const heading = document.createElement("h2");
      heading.textContent = request.response.querySelector("h1").textContent;
      heading.id = "asked";
      dialog.className = "modal";
      dialog.setAttribute("aria-labelledby", "asked");
      form.prepend(heading);
      dialog.append(form);
      document.body.append(dialog);
      const keep = form.querySelector(".btn-row a");
      keep.addEventListener("click", (event) => {
        event.preventDefault();
        dialog.close();
      });
      dialog.addEventListener("close", () => dialog.remove());
      dialog.showModal();
      // Where nothing is to be typed, the focus starts on the safe choice.
      if (!form.querySelector(".input")) keep.focus();
    });
    request.send();
  };

  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("button, a");
    if (!pressed) return;
    const dialog = dialogOf(pressed);
    if (dialog) {
      event.preventDefault();
      if (pressed.getAttribute("popovertargetaction") === "hide") dialog.close();
      else dialog.showModal();
    } else if (pressed.dataset.ask !== undefined && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      ask(pressed);
    } else if (pressed.matches("[data-theme-next]")) setTheme(modes[(modes.indexOf(theme()) + 1) % 3]);
    else if (pressed.dataset.copy) copy(pressed);
    else if (pressed.dataset.save) save(pressed);
    else if (pressed.dataset.print !== undefined) print();
    else if (pressed.dataset.reveal) reveal(pressed);
    else if (pressed.dataset.dismiss !== undefined) {
      const message = pressed.closest(".msg");
      message.remove();
      document.getElementById("main")?.focus({ preventScroll: true });
    }
  });

  // Times are in UTC; the title under the pointer adds what the reader's own clock showed, if that was another time.
  document.addEventListener("pointerover", (event) => {
    const time = event.target.closest("time[datetime]:not([data-here])");
    if (!time) return;
    time.dataset.here = "";
    const at = new Date(time.dateTime);
    if (at.getTimezoneOffset() === 0) return;
    time.title += ` (${at.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" })} in your time zone)`;
  });

  // Without a pointer there is no title: <select data-times> shows all times of the page exactly.
  const times = document.querySelector("[data-times]");
  const written = new WeakMap();
  const exactly = (time) => {
    if (times.value === "utc") return time.title.split(" (")[0];
    return new Date(time.dateTime).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "long" });
  };
  const showTimes = () => {
    for (const time of document.querySelectorAll("time[datetime]")) {
      if (!written.has(time)) written.set(time, [...time.childNodes]);
      time.classList.toggle("exact", !!times?.value);
      // Broken between day and time, and nowhere else.
      if (times?.value) time.textContent = exactly(time).replace(/(?<!,) /g, "\u00a0");
      else time.replaceChildren(...written.get(time));
    }
  };
  if (times) {
    const choose = () => {
      times.value = recall("times") ?? "";
      showTimes();
    };
    choose();
    times.addEventListener("change", () => {
      remember("times", times.value);
      showTimes();
    });
    // A page that the browser kept may show an earlier choice.
    addEventListener("pageshow", (event) => event.persisted && choose());
  }

  // A response that is sent on as a form is submitted automatically.
  document.querySelector("form[data-send]")?.submit();

  // A dangerous button (data-guard) ignores clicks for half a second when the page gets the focus: no accidental or double click. It
  // keeps the keyboard's focus, which a disabled button would lose.
  const guarded = document.querySelector("button[data-guard]");
  if (guarded) {
    let waking;
    const sleep = () => {
      guarded.setAttribute("aria-disabled", "true");
      clearTimeout(waking);
      waking = setTimeout(() => guarded.removeAttribute("aria-disabled"), 500);
    };
    guarded.addEventListener("click", (event) => {
      if (guarded.hasAttribute("aria-disabled")) event.preventDefault();
    });
    sleep();
    addEventListener("focus", sleep);
    addEventListener("pageshow", sleep);
  }

  // Prevents submitting a form twice while the response is on its way. If loading was stopped, the page stays, so after ten
  // seconds the form may be sent again.
  addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
    if (form.dataset.sent) event.preventDefault();
    else setTimeout(() => delete form.dataset.sent, 10_000);
    form.dataset.sent = "yes";
  });
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  });

  // The days of a calendar are one stop of the Tab key, at first the newest; the arrows move between them.
  for (const heat of document.querySelectorAll(".heat")) {
    const days = [...heat.querySelectorAll("td a")];
    const stopAt = (day) => {
      for (const one of days) one.tabIndex = one === day ? 0 : -1;
    };
    const column = (day) => day.parentElement.cellIndex;
    // Rows are weekdays, so the last day of the last column is the newest.
    if (days.length > 0) stopAt(days.reduce((last, day) => (column(day) >= column(last) ? day : last)));
    heat.addEventListener("focusin", (event) => event.target.matches("td a") && stopAt(event.target));
    heat.addEventListener("keydown", (event) => {
      const [across, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [];
      if (across === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      let row = event.target.closest("tr").rowIndex;
      let cell = event.target.closest("td");
      do {
        row += down;
        cell = heat.rows[row]?.cells[cell.cellIndex + across];
      } while (cell && !cell.querySelector("a"));
      cell?.querySelector("a").focus();
    });
  }

  // "Select all on this page": <input type="checkbox" data-all="name"> ticks every box of that name in its form or table.
  document.addEventListener("change", (event) => {
    const name = event.target.dataset?.all;
    if (!name) return;
    for (const box of document.querySelectorAll(`input[type="checkbox"][name="${CSS.escape(name)}"]`)) box.checked = event.target.checked;
  });

  // Shows how many rows are ticked, in the bar of bulk actions: <strong data-ticked>.
  const ticked = document.querySelector("[data-ticked]");
  if (ticked) {
    const words = ticked.textContent;
    const count = () => {
      const n = ticked.closest("form").querySelectorAll("tbody input:checked").length;
      ticked.textContent = n > 0 ? `${n} selected` : words;
      const all = document.querySelector("[data-all]");
      const rows = ticked.closest("form").querySelectorAll("tbody input[type=checkbox]").length;
      if (all) Object.assign(all, { checked: n > 0 && n === rows, indeterminate: n > 0 && n < rows });
    };
    document.addEventListener("change", count);
    // Enter on a checkbox would submit the form without an action, and its rows would be unticked.
    ticked.closest("form").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target.type === "checkbox") event.preventDefault();
    });
    addEventListener("pageshow", count);
  }

  // Shows how many alerts arrived since the list was rendered: <p data-arrivals="/stream" data-show="/list">. Its rows never
  // move. <input data-arrivals-switch> pauses that. Where there are none yet (data-first), the first one appears by itself, unless
  // somebody is in a field.
  const arrivals = document.querySelector("[data-arrivals]");
  if (arrivals && "EventSource" in window) {
    const link = document.createElement("a");
    link.href = arrivals.dataset.show;
    const tell = ({ data }) => {
      const count = Number(data);
      if (arrivals.matches("[data-first]") && !document.activeElement.matches("input")) return location.reload();
      link.textContent = `${count} new ${count === 1 ? "alert" : "alerts"} – show`;
      arrivals.replaceChildren(...(count > 0 ? [link] : []));
    };
    // A screen reader announces every change, so there is at most one in ten seconds.
    let told = -Infinity;
    let later;
    const tellCalmly = (event) => {
      clearTimeout(later);
      const wait = told + 10_000 - performance.now();
      if (wait > 0) {
        later = setTimeout(tellCalmly, wait, event);
        return;
      }
      told = performance.now();
      tell(event);
    };
    const choice = document.querySelector("[data-arrivals-switch]");
    choice.checked = recall("arrivals") !== "off";
    choice.addEventListener("change", () => {
      remember("arrivals", choice.checked ? "" : "off");
      clearTimeout(later);
      arrivals.replaceChildren();
      follow();
    });
    // Browsers limit connections per origin to six, so only the visible page keeps one.
    let stream;
    const follow = () => {
      stream?.close();
      stream = undefined;
      if (document.hidden || !choice.checked) return;
      stream = new EventSource(arrivals.dataset.arrivals);
      stream.onmessage = tellCalmly;
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    addEventListener("pagehide", () => stream?.close());
    addEventListener("pageshow", (event) => event.persisted && follow());
  }

  // A path derived from the name until somebody types one: <input data-follows="name">.
  const path = document.querySelector("input[data-follows]");
  const named = path?.form?.elements[path.dataset.follows];
  if (named && path.value === "") {
    const follow = () => {
      path.value = named.value.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9_]+/g, "-").replace(/^[-_]+|-+$/g, "");
    };
    named.addEventListener("input", follow);
    path.addEventListener("input", () => named.removeEventListener("input", follow));
  }

  // A form whose preview is updated while typing: <form data-live="preview"> takes #preview from the response.
  const live = document.querySelector("form[data-live]");
  if (live) {
    let waiting;
    let asked = 0;
    const preview = () => {
      const mine = ++asked;
      const fields = new URLSearchParams(new FormData(live));
      fields.set("action", "preview");
      const { href } = new URL(live.getAttribute("action"), location.href);
      const request = new XMLHttpRequest();
      request.open("POST", href);
      // The page's policy forbids scripts to make HTML from text; a response parsed as a document does not need that.
      request.responseType = "document";
      request.addEventListener("load", () => {
        const fresh = request.responseURL === href && request.response?.getElementById(live.dataset.live);
        if (!fresh || mine !== asked) return;
        document.getElementById(live.dataset.live).replaceChildren(...fresh.childNodes);
        showTimes();
      });
      request.send(fields);
    };
    live.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(preview, 500);
    });
  }

  // Tabs that lead to parts of the page: the current one is that of the address, at first the first.
  const parts = [...document.querySelectorAll('.tabs a[href^="#"]')];
  const markPart = () => {
    for (const tab of parts) {
      if (tab.hash === (location.hash || parts[0].hash)) tab.setAttribute("aria-current", "location");
      else tab.removeAttribute("aria-current");
    }
  };
  markPart();
  addEventListener("hashchange", markPart);

  // On a narrow screen the current tab may be outside the visible part.
  for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
    const bar = tab.closest(".tabs");
    bar.scrollLeft = tab.offsetLeft - bar.offsetLeft - 24;
  }

  // Arrow keys move through search results, starting in the search field: <div data-results>.
  document.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const stops = [...document.querySelectorAll('main:has([data-results]) input[type="search"], [data-results] .title')];
    const at = stops.indexOf(document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    stops[at + step]?.focus();
  });
})();
