/**
 * Passkeys: asks the browser for a passkey, and sends its response with the form. Without this script, people
 * sign in with links.
 */
import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser';

// An IP address cannot be a relying party (WebAuthn, section 5.1.2).
const isAddress = /^[\d.]+$|:/.test(location.hostname);
const canUse = browserSupportsWebAuthn() && !isAddress;

// The state of passkeys in this browser: `offer` after a sign-in with a link, `used` while a response is
// being sent, then `known`. Without storage, the state is unknown.
const storageKey = 'desk-passkey';
function state() {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}
function remember(value) {
  try {
    if (value) localStorage.setItem(storageKey, value);
    else localStorage.removeItem(storageKey);
  } catch {}
}

const problems = {
  NotAllowedError: 'No passkey was chosen, or it took too long. Try again.',
  InvalidStateError: 'This device already has a passkey of yours.',
  ConstraintError: 'This device cannot check that it is you. Set up a screen lock, or use another device.',
  NotSupportedError: 'This device cannot use passkeys.',
  SecurityError: 'Passkeys do not work at this URL. Open the desk at its usual URL.',
};

async function optionsOf(form) {
  const answer = await fetch(form.dataset.passkey, { method: 'POST', body: new URLSearchParams() });
  if (answer.ok) return answer.json();
  throw new Error(answer.status === 422 ? await answer.text() : '');
}

async function send(form) {
  const button = form.querySelector('button');
  const problem = form.querySelector('[data-passkey-problem]');
  problem.textContent = '';
  button.disabled = true;
  try {
    const optionsJSON = await optionsOf(form);
    const ask = optionsJSON.rp ? startRegistration : startAuthentication;
    form.elements.response.value = JSON.stringify(await ask({ optionsJSON }));
    remember('used');
    form.submit();
  } catch ({ name, message }) {
    const text = name === 'Error' ? message : problems[name];
    problem.textContent =
      text || 'Something went wrong. Check your connection, reload the page and try again.';
  } finally {
    button.disabled = false;
  }
}

document.addEventListener('submit', (event) => {
  const { target } = event;
  if (target.matches('[data-open]') && state() !== 'known') remember('offer');
  if (!target.matches('[data-passkey]')) return;
  event.preventDefault();
  send(target);
});

document.addEventListener('click', ({ target }) => {
  if (target.matches?.('[data-passkey-offer] button')) {
    remember();
    target.closest('[data-passkey-offer]').hidden = true;
  }
  if (target.matches?.('[data-show-link]')) {
    target.hidden = true;
    document.querySelector('[data-link]').hidden = false;
    document.querySelector('[data-link] input:not([type="hidden"])').focus();
  }
});

function prepareSignIn() {
  if (state() === 'used') remember();
  const form = document.querySelector('.sign-in [data-passkey]');
  const link = document.querySelector('[data-link]');
  const field = link.querySelector('[name="invitation"]');
  const isWrong = field.matches('[aria-invalid]');
  if (!canUse || !form || (field.value && !isWrong)) return;
  form.hidden = false;
  // After a used link, a passkey is the way to sign in.
  if (isWrong || (state() !== 'known' && !document.querySelector('[data-used]'))) return;
  // Makes the button solid, because it is the only one.
  form.querySelector('button').classList.add('solid');
  link.hidden = true;
  document.querySelector('[data-show-link]').hidden = false;
}

function preparePage() {
  if (state() === 'used') remember('known');
  const form = document.querySelector('#passkeys [data-passkey]');
  if (form) form.hidden = !canUse;
  const unable = document.querySelector('[data-passkey-unable]');
  if (unable) unable.hidden = canUse;
  if (form && state() === 'offer') remember();
  prepareOffer();
}

function prepareOffer() {
  const offer = document.querySelector('[data-passkey-offer]');
  if (offer) offer.hidden = !(canUse && state() === 'offer');
}

document.addEventListener('desk:sign-in', prepareSignIn);
// An action replaces the page “You”.
document.addEventListener('htmx:afterSettle', preparePage);
if (document.querySelector('.sign-in')) prepareSignIn();
else preparePage();
// The next testimonial of the queue arrives together with the offer.
document.addEventListener('htmx:afterSwap', prepareOffer);
