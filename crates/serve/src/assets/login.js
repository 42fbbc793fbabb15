// Takes the token out of the address before anything else, and exchanges it for a session.
const form = document.querySelector("form");
const field = document.querySelector("#token");
const said = document.querySelector("#said");

async function comeIn(token) {
  said.textContent = "";
  const answer = await fetch("/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (answer.ok) {
    location.replace("/");
    return;
  }
  const { error, help } = await answer.json();
  said.textContent = help ? `${error}: ${help}` : error;
  field.focus();
}

const given = new URLSearchParams(location.hash.slice(1)).get("token");
history.replaceState(null, "", location.pathname);
if (given && document.querySelector("#open")) {
  // Someone is signed in: a link signs in as someone else only when they say so.
  field.value = given;
  said.textContent = "This link has another token. Sign in with it?";
  form.querySelector("button").focus();
} else if (given) {
  comeIn(given);
}
form.addEventListener("submit", (event) => {
  event.preventDefault();
  comeIn(field.value);
});
