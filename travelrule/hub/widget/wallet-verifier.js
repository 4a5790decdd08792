// <wallet-verifier data-token="...">: shows the message of a session, has it signed, and lets the hub check it.
//
// Events, which are hints and prove nothing (the result at the hub decides):
//   verification-complete  detail: id, status, flow, address, asset, blockchain
//   verification-error     detail: errorCode, message
//     GENERAL_API_ERROR                   the hub said no or could not be reached
//     CRYPTOGRAPHIC_SIGNATURE_FLOW_ERROR  the customer cancelled

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
    throw new Refusal(GENERAL, "the hub could not be reached");
  }
  if (!response.ok) throw new Refusal(told.errorCode ?? GENERAL, told.message ?? "the hub refused");
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

class WalletVerifier extends HTMLElement {
  async connectedCallback() {
    if (this.session) return;
    this.say("Opening the session…");
    try {
      this.session = await ask("session", { token: this.dataset.token ?? "" });
    } catch (refusal) {
      this.say(refusal.message);
      this.fire("verification-error", { errorCode: refusal.errorCode ?? GENERAL, message: refusal.message });
      return;
    }
    this.show();
  }

  show() {
    const message = document.createElement("pre");
    message.dataset.part = "message";
    message.textContent = this.session.message;
    const pasted = document.createElement("textarea");
    pasted.dataset.part = "signature";
    pasted.setAttribute("aria-label", "Signature from another program");
    this.state = document.createElement("p");
    this.state.dataset.part = "state";
    this.state.setAttribute("role", "status");
    const buttons = document.createElement("p");
    const wallet = browserWallet(this.session);
    if (wallet) buttons.append(this.button("browser-wallet", "Sign with browser wallet", wallet));
    if (this.session.testWallet) {
      const sign = async () => (await ask("test-wallet", { key: this.session.key })).signature;
      buttons.append(this.button("test-wallet", "Sign with test wallet", sign));
    }
    buttons.append(this.button("check", "Check this signature", async () => pasted.value.trim()));
    const cancel = document.createElement("button");
    cancel.type = "button";
    cancel.dataset.part = "cancel";
    cancel.textContent = "Cancel";
    cancel.addEventListener("click", () => this.failed(new Refusal(CANCELLED, "cancelled by the user")));
    buttons.append(cancel);
    this.replaceChildren(message, pasted, buttons, this.state);
  }

  button(part, text, sign) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.part = part;
    button.textContent = text;
    button.addEventListener("click", () => this.prove(sign));
    return button;
  }

  async prove(sign) {
    if (this.busy) return;
    this.busy = true;
    this.state.textContent = "Checking…";
    try {
      const signature = await sign();
      const { id, status, flow, address, asset, blockchain } = await ask("proof", { key: this.session.key, signature });
      this.say(status);
      this.fire("verification-complete", { id, status, flow, address, asset, blockchain });
    } catch (error) {
      this.failed(error);
    } finally {
      this.busy = false;
    }
  }

  // The session stays open: the customer may try again until it ends.
  failed(error) {
    const cancelled = error.errorCode === CANCELLED || error.code === REJECTED_BY_USER;
    const errorCode = cancelled ? CANCELLED : (error.errorCode ?? GENERAL);
    const message = cancelled ? "cancelled by the user" : String(error.message ?? "failed");
    this.state.textContent = message;
    this.fire("verification-error", { errorCode, message });
  }

  say(text) {
    const line = document.createElement("p");
    line.dataset.part = "state";
    line.setAttribute("role", "status");
    line.textContent = text;
    this.replaceChildren(line);
  }

  fire(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

if (!customElements.get("wallet-verifier")) customElements.define("wallet-verifier", WalletVerifier);
