// Passkeys: gets a challenge from the server and the response from the browser, and submits it with the form of the button.
// Loaded with `defer` by pages with such a form; without this file they offer the other ways.
(() => {
  const supported =
    typeof window.PublicKeyCredential?.parseCreationOptionsFromJSON === "function" &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function" &&
    typeof PublicKeyCredential.prototype.toJSON === "function";

  const words = {
    NotAllowedError: "No passkey was used: it was cancelled, took too long, or this device has none for Gatehouse.",
    InvalidStateError: "This device has a passkey of yours already. Use another one.",
    SecurityError: "Your browser refuses passkeys at this address. Open Gatehouse at the address it was set up with.",
    NotSupportedError: "This device can’t make a passkey that Gatehouse understands.",
  };
  const unsupported = window.isSecureContext
    ? "This browser is too old for passkeys here. Update it, or go another way."
    : "Browsers allow passkeys over HTTPS only.";

  const tell = (form, text) => {
    const line = form.querySelector("[data-passkey-error]");
    line.querySelector("span").textContent = text;
    line.hidden = text === "";
  };

  const options = async (form) => {
    const body = new URLSearchParams({ csrf_token: form.elements.csrf_token.value });
    const answer = await fetch(form.dataset.options, { method: "POST", body });
    // The server asks for the password first.
    if (answer.redirected) {
      location.assign(answer.url);
      return null;
    }
    if (answer.headers.get("content-type")?.startsWith("application/json")) {
      const read = await answer.json();
      if (answer.ok) return read;
      throw new Error(read.message);
    }
    throw new Error(answer.status === 429 ? "Too many tries. Wait a minute." : "This page is too old. Reload it and try again.");
  };

  const ask = async (form) => {
    const asked = await options(form);
    if (!asked) return;
    const credential =
      form.dataset.passkey === "create"
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(asked) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(asked) });
    // The checkbox is in the password form above.
    const box = document.querySelector("input[type=checkbox][name=remember]");
    if (box && form.elements.remember) form.elements.remember.value = box.checked ? box.value : "";
    form.elements.passkey.value = JSON.stringify(credential.toJSON());
    form.submit();
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.dataset.passkey) return;
    event.preventDefault();
    if (!supported) return tell(form, unsupported);
    const button = form.querySelector("button[type=submit]");
    tell(form, "");
    button.disabled = true;
    try {
      await ask(form);
    } catch (error) {
      tell(form, words[error.name] ?? error.message);
    }
    button.disabled = false;
  });
})();
