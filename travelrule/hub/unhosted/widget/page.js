// The page of the hub: it takes a token, shows the widget, and lists the events that the widget fires.
import "/widget/wallet-verifier.js";

const form = document.getElementById("start");
const place = document.getElementById("place");
const events = document.getElementById("events");

function note(event) {
  const line = document.createElement("li");
  line.textContent = `${event.type} ${JSON.stringify(event.detail)}`;
  events.append(line);
  events.parentElement.hidden = false;
}

function start(token) {
  const widget = document.createElement("wallet-verifier");
  widget.dataset.token = token;
  widget.addEventListener("verification-complete", note);
  widget.addEventListener("verification-error", note);
  form.hidden = true;
  place.replaceChildren(widget);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  start(form.elements.token.value.trim());
});

// In the fragment, because that part of an address is never sent to a server.
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  // Out of the address bar and the history: a copied address shall not carry a session.
  history.replaceState(null, "", location.pathname);
  start(given);
}
