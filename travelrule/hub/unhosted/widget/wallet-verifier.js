// <wallet-verifier data-token="...">: shows the message of a session, has it signed, and lets the hub check it.
//
// Events, which are hints and prove nothing (the result at the hub decides):
//   verification-complete  detail: id, status, flow, address, asset, blockchain
//   verification-error     detail: errorCode, message
//     GENERAL_API_ERROR                   the hub said no or could not be reached
//     CRYPTOGRAPHIC_SIGNATURE_FLOW_ERROR  the customer cancelled
//
// What it shows stands in a shadow tree, so that the styles of the page and of the widget leave each other alone. A
// page changes its looks with `wallet-verifier::part(...)`: message, signature, state, and each button by its name.

const GENERAL = "GENERAL_API_ERROR";
const CANCELLED = "CRYPTOGRAPHIC_SIGNATURE_FLOW_ERROR";
const REJECTED_BY_USER = 4001; // EIP-1193
const HUB = new URL("..", import.meta.url);

class Refusal extends Error {
  constructor(errorCode, message) {
    super(message);
    this.errorCode = errorCode;
  }
}

async function ask(name, said) {
  let response;
  let told;
  try {
    // As plain text: browsers send that to another site without asking it first.
    response = await fetch(new URL(`widget/${name}`, HUB), {
      method: "POST",
      headers: { "Content-Type": "text/plain" },
      body: JSON.stringify(said),
      credentials: "omit",
    });
    told = await response.json();
  } catch {
    throw new Refusal(GENERAL, "the service could not be reached: try again");
  }
  if (!response.ok) throw new Refusal(told.errorCode ?? GENERAL, told.message ?? "the service refused");
  return told;
}

function hex(text) {
  return "0x" + Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function base64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}

// A wallet in the browser, if there is one for the chain of the session.
function browserWallet(session) {
  if (session.blockchain === "SOL") {
    const wallet = globalThis.solana;
    return wallet?.signMessage && (async () => {
      await wallet.connect();
      const signed = await wallet.signMessage(new TextEncoder().encode(session.message), "utf8");
      return base64(signed.signature);
    });
  }
  const wallet = globalThis.ethereum;
  return wallet?.request && (async () => {
    await wallet.request({ method: "eth_requestAccounts" });
    return wallet.request({ method: "personal_sign", params: [hex(session.message), session.address] });
  });
}

// Not in a <style>: the page may have a policy that forbids those.
const LOOKS = new CSSStyleSheet();
LOOKS.replaceSync(`
  :host { display: block; color: #1b1f24; text-align: start; }
  * { box-sizing: border-box; }
  div, form { margin: 0; }
  p { margin: .75rem 0; }
  pre {
    margin: .75rem 0; padding: .75rem; border: 1px solid #c9ced6; border-radius: .375rem; background: #f6f7f9;
    font: .875rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
  }
  label { display: block; margin: .75rem 0 .25rem; }
  textarea {
    display: block; width: 100%; padding: .5rem; border: 1px solid #6b7280; border-radius: .375rem;
    background: #fff; color: inherit; font: .875rem/1.5 ui-monospace, monospace; resize: vertical;
  }
  .buttons { display: flex; flex-wrap: wrap; gap: .5rem; }
  button {
    min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid #6b7280; border-radius: .375rem;
    background: #fff; color: #1b1f24; font: inherit; cursor: pointer;
  }
  button.first { border-color: #0b57d0; background: #0b57d0; color: #fff; }
  button:disabled { border-color: #c9ced6; background: #eceef1; color: #565d66; cursor: default; }
  :focus-visible { outline: 3px solid #0b57d0; outline-offset: 2px; }
  [part=state] { padding: .75rem; border-left: 4px solid #6b7280; background: #f6f7f9; overflow-wrap: anywhere; }
  [part=state]:empty { display: none; }
  [part=state].error { border-color: #a40e26; background: #fdeff0; color: #8a0c20; }
  [part=state].done { border-color: #0b6b33; background: #ecf8f0; color: #0a5228; }
  @media (max-width: 30rem) { button { flex: 1 1 100%; } }
`);

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

class WalletVerifier extends HTMLElement {
  async connectedCallback() {
    // A token serves once, so an element that the page moves must not ask again.
    if (this.begun) return;
    this.begun = true;
    this.form = element("div", {});
    // One line for as long as the widget lives: screen readers tell the changes of what they know already.
    this.state = element("p", { part: "state", role: "status" });
    const shown = this.attachShadow({ mode: "open" });
    shown.adoptedStyleSheets = [LOOKS];
    shown.append(this.form, this.state);
    this.say("Opening the session…");
    try {
      this.session = await ask("session", { token: this.dataset.token ?? "" });
    } catch (error) {
      this.failed(error);
      return;
    }
    this.say("");
    this.show();
  }

  show() {
    const { message, key, testWallet } = this.session;
    const wallet = browserWallet(this.session);
    const sign = [];
    if (wallet) sign.push(this.button("browser-wallet", "Sign with browser wallet", () => this.prove(wallet)));
    if (testWallet) {
      const ofTest = async () => (await ask("test-wallet", { key })).signature;
      sign.push(this.button("test-wallet", "Sign with test wallet", () => this.prove(ofTest)));
    }
    sign[0]?.classList.add("first");
    const pasted = element("textarea", {
      id: "signature", part: "signature", rows: 3, spellcheck: false, autocomplete: "off",
    });
    const cancelled = () => this.failed(new Refusal(CANCELLED, "cancelled"));
    this.form.replaceChildren(
      element("p", {}, "Sign this message with your wallet to prove that it is yours. Signing it moves no money."),
      element("pre", { part: "message", textContent: message }),
      element("div", { className: "buttons" }, ...sign),
      element("label", { htmlFor: pasted.id }, sign.length ? "Or paste a signature made elsewhere" : "Signature"),
      pasted,
      element(
        "p",
        { className: "buttons" },
        this.button("check", "Check this signature", () => this.check(pasted)),
        this.button("cancel", "Cancel", cancelled),
      ),
    );
  }

  button(part, text, clicked) {
    const button = element("button", { type: "button", part, textContent: text });
    button.addEventListener("click", clicked);
    return button;
  }

  check(pasted) {
    const signature = pasted.value.trim();
    if (signature) return this.prove(async () => signature);
    this.say("Paste the signature first.", "error");
    pasted.focus();
  }

  async prove(sign) {
    this.busy(true);
    this.say("Checking…");
    try {
      const signature = await sign();
      const { id, status, flow, address, asset, blockchain } = await ask("proof", { key: this.session.key, signature });
      this.form.replaceChildren();
      this.say("The wallet is verified.", "done");
      this.fire("verification-complete", { id, status, flow, address, asset, blockchain });
    } catch (error) {
      this.failed(error);
    } finally {
      this.busy(false);
    }
  }

  // One thing at a time: a second click would ask the wallet twice.
  busy(whether) {
    for (const button of this.form.querySelectorAll("button")) button.disabled = whether;
  }

  // An open session stays open: the customer may try again until it ends.
  failed(error) {
    const cancelled = error.errorCode === CANCELLED || error.code === REJECTED_BY_USER;
    const errorCode = cancelled ? CANCELLED : (error.errorCode ?? GENERAL);
    const message = cancelled ? "cancelled by the user" : String(error.message ?? "failed");
    this.say(cancelled ? "Cancelled: you can sign again." : sentence(message), cancelled ? "" : "error");
    this.fire("verification-error", { errorCode, message });
  }

  say(text, kind = "") {
    this.state.className = kind;
    this.state.textContent = text;
    // The line stands below the buttons, on a telephone often below the edge. The page itself opens where it wants.
    if (this.session && text) this.state.scrollIntoView({ block: "nearest" });
  }

  fire(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

if (!customElements.get("wallet-verifier")) customElements.define("wallet-verifier", WalletVerifier);
