/**
 * The script of every page of the desk: keys, swipes, selections, previews, pins, tags, local times, and
 * signs that a request is running or has failed. Without it, the pages work with links and forms.
 */

const isTyping = (target) =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]');

// A person can turn keys off (WCAG 2.2, 2.1.4). Without storage, they stay on.
const usesKeys = () => {
  try {
    return localStorage.getItem('desk-keys') !== 'off';
  } catch {
    return true;
  }
};

// Keys press the buttons of the queue.
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && isTyping(event.target)) event.target.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
  // An open sheet covers the card.
  if (!usesKeys() || document.querySelector(':popover-open')) return;
  const button = document.querySelector(`[data-key="${CSS.escape(event.key)}" i]:not(:disabled)`);
  if (!button) return;
  event.preventDefault();
  button.click();
});

// After an action on a card, the next card gets the focus.
let nextCard;
document.addEventListener('htmx:beforeRequest', ({ detail: { requestConfig } }) => {
  const card = requestConfig.triggeringEvent?.submitter?.closest('#selection .card');
  nextCard = (card?.nextElementSibling ?? card?.previousElementSibling)?.id;
});
document.addEventListener('htmx:afterSettle', () => {
  if (!nextCard || document.activeElement !== document.body) return;
  const card = document.getElementById(nextCard);
  card?.querySelector('[name="seen"], [name="one"]')?.focus({ preventScroll: true });
  nextCard = undefined;
});

// A key pressed while a form is being sent would apply to the next testimonial.
let isSending = false;
document.addEventListener('htmx:beforeRequest', (event) => {
  if (!event.target.closest?.('.decision')) return;
  if (isSending) event.preventDefault();
  else isSending = true;
});
document.addEventListener('htmx:afterRequest', (event) => {
  if (event.target.closest?.('.decision') || event.detail.elt?.matches?.('.decision')) isSending = false;
});
document.addEventListener('htmx:afterSettle', () => {
  isSending = false;
  const invalid = document.querySelector('[aria-invalid="true"]');
  const focused = invalid ?? document.querySelector('[data-focus]');
  focused?.focus({ preventScroll: true });
  // After htmx has scrolled.
  if (invalid) setTimeout(() => invalid.scrollIntoView({ block: 'center' }));
  else focused?.scrollIntoView({ block: 'nearest' });
  prepare();
});

const failureTexts = {
  0: 'There is no connection to the desk. Your last action may not have been saved.',
  401: 'Your session has ended. Sign in again in another tab, then try again here.',
  403: 'The request was refused, perhaps by a firewall. Try again, or ask your administrator.',
  413: 'This is too large to send. Shorten the text or select fewer testimonials, then try again.',
  429: 'There were too many requests. Wait a minute, then try again.',
};
const otherFailure = 'The desk did not respond properly. Your last action may not have been saved.';

/** Returns the reason that a response must not replace the page, or undefined if it is the requested page. */
function failureOf({ status, responseText }) {
  const page = new DOMParser().parseFromString(responseText, 'text/html');
  const isKept = status >= 500 || status in failureTexts;
  if (!isKept && page.querySelector('#main') && !page.querySelector('[data-problem]')) return undefined;
  return page.querySelector('[data-problem]')?.textContent ?? failureTexts[status] ?? otherFailure;
}

let failed;
const failure = () => document.querySelector('#failure');

/** Shows what happened, and offers to try again. The page, typed texts and the selection stay. */
function showFailure(text, { elt, requestConfig }) {
  isSending = false;
  failed = { elt, submitter: requestConfig?.triggeringEvent?.submitter };
  failure().querySelector('p').textContent = text;
  failure().hidden = false;
  document.querySelector('#message').textContent = '';
}

document.addEventListener('htmx:beforeOnLoad', (event) => {
  const text = failureOf(event.detail.xhr);
  failure().hidden = true;
  if (text === undefined) return;
  event.preventDefault();
  showFailure(text, event.detail);
});
document.addEventListener('htmx:sendError', ({ detail }) => showFailure(failureTexts[0], detail));
document.addEventListener('htmx:timeout', ({ detail }) => showFailure(otherFailure, detail));
document.addEventListener('click', ({ target }) => {
  if (!target.closest?.('#failure button') || !failed) return;
  const { elt, submitter } = failed;
  if (submitter) submitter.click();
  else if (elt.matches('form')) elt.requestSubmit();
  else elt.click();
});

// Shows that an action is in progress: the pressed button is busy, unless the response arrives at once.
const busyAfter = 150;
const pressed = new Map();

/** Marks an element as busy after a moment, unless `endWait` is called with the same key before. */
function beginWait(key, element) {
  endWait(key);
  const timer = setTimeout(() => element.setAttribute('aria-busy', 'true'), busyAfter);
  pressed.set(key, { element, timer });
}

function endWait(key) {
  const { element, timer } = pressed.get(key) ?? {};
  clearTimeout(timer);
  element?.removeAttribute('aria-busy');
  pressed.delete(key);
}

document.addEventListener('htmx:beforeSend', ({ detail: { xhr, elt, requestConfig } }) =>
  beginWait(xhr, requestConfig.triggeringEvent?.submitter ?? elt),
);
document.addEventListener('htmx:afterRequest', ({ detail: { xhr } }) => endWait(xhr));

// Forms and links that htmx leaves to the browser. It has stopped the events of its own forms and links.
document.addEventListener('submit', (event) => {
  const { target, submitter } = event;
  const frame = submitter?.getAttribute('formtarget') ?? target.getAttribute('target');
  // A download does not replace the page.
  if (frame || submitter?.hasAttribute('data-download')) return;
  // Later listeners may handle the form themselves.
  setTimeout(() => {
    if (!event.defaultPrevented) beginWait('page', submitter ?? target);
  });
});
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]:not([download], [target])');
  const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link || event.defaultPrevented || opensElsewhere) return;
  const { origin, pathname, search } = location;
  const isHere = link.pathname === pathname && link.search === search;
  if (link.origin === origin && !isHere) beginWait('page', link);
});
// Going back may show the page in the state in which it was left.
addEventListener('pageshow', () => endWait('page'));

/** Formats times in the reader's time zone. */
const localTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const localDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Shows the elements that need JavaScript, and hides the elements for pages without it. */
function prepare() {
  for (const each of document.querySelectorAll('time[datetime]')) {
    if (each.title) continue;
    const date = new Date(each.dateTime);
    each.title = each.textContent;
    each.textContent = (each.matches('[data-day]') ? localDay : localTime).format(date);
  }
  for (const each of document.querySelectorAll('[data-copy], [data-grip], [data-clear]')) each.hidden = false;
  for (const each of document.querySelectorAll('.select-all[hidden]')) each.hidden = false;
  for (const each of document.querySelectorAll('[data-without-script]')) each.hidden = true;
  for (const each of document.querySelectorAll('[data-keys-choice]')) each.hidden = false;
  for (const each of document.querySelectorAll('[data-keys]')) each.checked = usesKeys();
  document.body.classList.toggle('without-keys', !usesKeys());
  if (!usesKeys())
    for (const each of document.querySelectorAll('[aria-keyshortcuts]'))
      each.removeAttribute('aria-keyshortcuts');
  countSelected();
  showCountInIcon();
}

let plainIcon;

/** Shows the number of pending testimonials in the tab's icon; the plain icon if there are none. */
function showCountInIcon() {
  const icon = document.querySelector('link[rel="icon"]');
  const { count } = document.querySelector('#pending')?.dataset ?? {};
  plainIcon ??= icon.href;
  const [, beginning] = /^(.*)\.svg$/.exec(plainIcon);
  icon.href = count > 0 ? `${beginning}-${Math.min(count, 100)}.svg` : plainIcon;
}

const boxes = () => document.querySelectorAll('#selection input[name="seen"]');

function countSelected() {
  const counter = document.querySelector('[data-selected]');
  if (!counter) return;
  let selected = 0;
  for (const { checked } of boxes()) selected += checked;
  const all = document.querySelector('[data-select-all]');
  if (all) {
    all.checked = selected > 0 && selected === boxes().length;
    all.indeterminate = selected > 0 && !all.checked;
  }
  const isAll = document.querySelector('#selection [name="all"]:checked') !== null;
  const count = isAll ? document.querySelector('#selection [name="of"]').value : selected;
  counter.textContent = `${new Intl.NumberFormat('en').format(count)} selected`;
}

document.addEventListener('click', ({ target }) => {
  if (!target.closest?.('[data-clear]')) return;
  for (const box of document.querySelectorAll('#selection input[type="checkbox"]')) box.checked = false;
  countSelected();
});

document.addEventListener('change', ({ target }) => {
  if (target.matches('[data-keys]')) localStorage.setItem('desk-keys', target.checked ? 'on' : 'off');
  if (target.matches('[data-select-all]')) for (const box of boxes()) box.checked = target.checked;
  if (target.closest('#selection')) countSelected();
});

// Suggests known tags for the tag that is being typed, after the earlier ones.
document.addEventListener('input', ({ target }) => {
  if (target.name !== 'tags' || !target.list) return;
  const [before] = /^.*,\s*/s.exec(target.value) ?? [''];
  for (const option of target.list.options) {
    option.dataset.tag ??= option.value;
    option.value = before + option.dataset.tag;
  }
});

// Also closes when the keyboard focus moves on.
document.addEventListener('focusout', ({ target, relatedTarget }) => {
  const sheet = target.closest?.('.sheet');
  if (sheet && relatedTarget && !sheet.contains(relatedTarget)) sheet.hidePopover?.();
});

// The sheet closes when its filters are shown.
document.addEventListener('submit', ({ target }) => {
  if (target.matches('.find')) target.querySelector('[popover]').hidePopover?.();
});

// Swiping a card to the right approves it, and to the left rejects it. The buttons stay available.
const farEnough = 100;
let swipe;
document.addEventListener('pointerdown', ({ target, clientX, clientY, pointerType, isPrimary }) => {
  const card = target.closest?.('[data-swipe]');
  // In a player, a finger changes the position; in a field, it moves the cursor.
  if (target.closest?.('.media') || isTyping(target)) return;
  if (card && isPrimary && pointerType === 'touch') swipe = { card, from: clientX, top: clientY };
});
document.addEventListener('pointermove', ({ clientX, clientY, isPrimary }) => {
  if (!swipe || !isPrimary) return;
  const by = clientX - swipe.from;
  swipe.card.style.translate = `${by}px`;
  // A diagonal movement decides nothing.
  const isSwipe = Math.abs(by) >= farEnough && Math.abs(by) > 2 * Math.abs(clientY - swipe.top);
  swipe.card.dataset.swipe = isSwipe ? (by > 0 ? 'approve' : 'reject') : '';
});
// The browser cancels the pointer when the page scrolls.
for (const type of ['pointerup', 'pointercancel']) {
  document.addEventListener(type, ({ isPrimary }) => {
    if (!swipe || !isPrimary) return;
    const { card } = swipe;
    swipe = undefined;
    const key = { approve: 'a', reject: 'r' }[type === 'pointerup' ? card.dataset.swipe : ''];
    card.style.translate = '';
    card.dataset.swipe = '';
    if (key) document.querySelector(`.decision [data-key="${key}"]`)?.click();
  });
}

// Pinned testimonials are dragged by their handle. The others make room, so that the handle keeps the
// pointer. The form sends the position at which it was dropped, and the response announces its number.
const scrollEdge = 96;
let drag;
document.addEventListener('pointerdown', (event) => {
  const { target, pointerId, isPrimary, button } = event;
  const grip = target.closest?.('[data-grip]');
  if (!grip || !isPrimary || button !== 0) return;
  event.preventDefault();
  grip.setPointerCapture(pointerId);
  const item = grip.closest('[data-pin]');
  item.classList.add('dragged');
  drag = { item, next: item.nextElementSibling };
});
document.addEventListener('pointermove', ({ clientY, isPrimary }) => {
  if (!drag || !isPrimary) return;
  const { item } = drag;
  const middleOf = (each) => {
    const { top, height } = each.getBoundingClientRect();
    return top + height / 2;
  };
  while (item.nextElementSibling && clientY > middleOf(item.nextElementSibling))
    item.before(item.nextElementSibling);
  while (item.previousElementSibling && clientY < middleOf(item.previousElementSibling))
    item.after(item.previousElementSibling);
  if (clientY < scrollEdge) scrollBy(0, -12);
  if (clientY > innerHeight - scrollEdge) scrollBy(0, 12);
});
for (const type of ['pointerup', 'pointercancel']) {
  document.addEventListener(type, ({ isPrimary }) => {
    if (!drag || !isPrimary) return;
    const { item, next } = drag;
    drag = undefined;
    item.classList.remove('dragged');
    if (item.nextElementSibling === next) return;
    if (type === 'pointercancel') return item.parentElement.insertBefore(item, next);
    const form = item.closest('form');
    form.elements.move.value = item.dataset.pin;
    form.elements.before.value = item.nextElementSibling?.dataset.pin ?? '';
    form.requestSubmit();
  });
}
document.addEventListener('htmx:afterSettle', ({ target }) => {
  const isRefused = target.id === 'main' && isUnsaved();
  if (target.id !== 'pins' && !isRefused) return;
  showPreview(document.querySelector('[data-preview]'));
  // The button that was pressed is gone.
  if (!isRefused && document.activeElement === document.body)
    target.querySelector('h2').focus({ preventScroll: true });
});

// Previews a form or wall with the settings as they are typed. Each preview gets a new frame, because every
// page that a frame loads after its first one would be a step of the back button.
let previewTimer;
let previewCount = 0;
// The name of the last changed field.
let changed;
document.addEventListener('input', ({ target }) => {
  const { form, name } = target;
  clearTimeout(previewTimer);
  if (!form?.matches('[data-preview]')) return;
  changed = name;
  // It was about the text before.
  target.closest('.field')?.querySelector('.problem')?.remove();
  if (name !== 'shown') form.querySelector('[data-unsaved]').hidden = false;
  previewTimer = setTimeout(showPreview, 250, form);
});
// Unsaved settings are lost with the page. Saving replaces their form, even if the new form shows an error.
const isUnsaved = () => document.querySelector('[data-unsaved]:not([hidden])') !== null;
addEventListener('beforeunload', (event) => {
  if (isUnsaved()) event.preventDefault();
});

function showPreview(form) {
  // The form was saved since then.
  if (!form.isConnected) return;
  const [shown, unfinished] = form.closest('.editor').querySelectorAll('iframe');
  unfinished?.remove();
  const next = shown.cloneNode();
  next.removeAttribute('src');
  previewCount += 1;
  next.name = `preview-${previewCount}`;
  next.addEventListener('load', () => {
    const { contentDocument: page } = next;
    const note = page?.querySelector('[data-note]')?.innerHTML ?? '';
    showPreviewNote(form, page?.querySelector('[data-problem]'), note);
    // The frame was empty before, or shows a foreign page after an error.
    if (!page?.querySelector('[inert] main')) return;
    // The largest part with the color. For other changes, the preview begins at its top.
    const send = changed === 'accent' && page.querySelector('.send');
    const top = send ? send.getBoundingClientRect().top - next.clientHeight / 2 : 0;
    next.contentWindow.scrollTo(0, send || changed === 'shown' ? top : shown.contentWindow.scrollY);
    shown.remove();
  });
  shown.after(next);
  // The form has fields that hide its own properties.
  const action = form.getAttribute('action');
  form.setAttribute('action', form.dataset.preview);
  form.setAttribute('target', next.name);
  form.submit();
  form.setAttribute('action', action);
  form.removeAttribute('target');
}

// The sentence about a field that breaks a rule.
const wrong = document.createElement('p');
wrong.className = 'problem';
wrong.setAttribute('role', 'alert');

/**
 * Shows why there is no preview, below the field concerned if it has one control, or a note about the
 * preview.
 */
function showPreviewNote(form, problem, note) {
  const noteElement = document.querySelector('[data-preview-problem]');
  const control = problem && form.elements[problem.dataset.problem];
  const field = control?.closest?.('.field');
  wrong.remove();
  for (const each of form.querySelectorAll('.field:not(:has(> .problem)) [aria-invalid]'))
    each.removeAttribute('aria-invalid');
  if (!field) {
    if (problem) noteElement.textContent = `Preview paused. ${problem.textContent}`;
    else noteElement.innerHTML = note;
    noteElement.className = problem ? 'problem' : 'hint';
    return;
  }
  control.setAttribute('aria-invalid', 'true');
  wrong.textContent = problem.textContent;
  // A form that was not saved has the sentence already.
  if (!field.querySelector('.problem')) field.after(wrong);
}

// A color can be typed, or chosen next to the field.
document.addEventListener('input', ({ target }) => {
  const other = target
    .closest?.('.with-color')
    ?.querySelector(target.type === 'color' ? 'input' : '[type="color"]');
  if (!other) return;
  if (other.type !== 'color' || /^#[0-9a-f]{6}$/i.exec(target.value)) other.value = target.value;
  if (target.type === 'color') other.dispatchEvent(new Event('input', { bubbles: true }));
});

// A logo must be small, because it is part of every page.
const largestLogo = { width: 440, height: 112, bytes: 24 * 1024 };

document.addEventListener('change', async ({ target }) => {
  if (!target.matches?.('[data-small-image]')) return;
  const { form, files } = target;
  form.elements.small.value = '';
  target.name = 'logo';
  try {
    const small = smallImage(await createImageBitmap(files[0]));
    if (small) {
      form.elements.small.value = small;
      // Only the small image is sent, because a field without a name is not sent.
      target.name = '';
    }
  } catch {
    // The service explains what is wrong with a file that is not an image.
  }
  showPreview(form);
});

/** Returns an image as a data URL that is small enough, or undefined. */
function smallImage(image) {
  const fitting = Math.min(1, largestLogo.width / image.width, largestLogo.height / image.height);
  for (let scale = fitting; scale * image.width >= 16; scale *= 0.8) {
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(image.width * scale));
    canvas.height = Math.max(1, Math.round(image.height * scale));
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    for (const type of ['image/png', 'image/webp']) {
      const url = canvas.toDataURL(type, 0.9);
      // A browser that cannot write WebP writes PNG.
      if ((url.length * 3) / 4 < largestLogo.bytes) return url;
    }
  }
}

document.addEventListener('click', async ({ target }) => {
  if (!target.matches?.('[data-copy]')) return;
  const { copy, author } = target.dataset;
  const code = target.closest('[data-snippet]')?.querySelector('code');
  const card = author && target.closest('.card');
  const text = card ? `${card.querySelector('.content').textContent}\n— ${author}` : code?.textContent;
  try {
    await navigator.clipboard.writeText(copy || text);
  } catch {
    // If the browser forbids copying, the text is selected for the browser's own command.
    if (code) getSelection().selectAllChildren(code);
    return;
  }
  const label = target.innerHTML;
  // A second click: the first one restores the label.
  if (label === 'Copied') return;
  target.textContent = 'Copied';
  setTimeout(() => {
    target.innerHTML = label;
  }, 2000);
});

// No one has pressed a key yet.
const unmarked = { focusVisible: false };

// Moves the secret of an invitation from the URL's fragment into the field, for a person to open.
async function fillInvitationFromUrl() {
  const form = document.querySelector('[data-open]');
  const { invitation } = form?.elements ?? {};
  const [, secret] = /#(.+)/.exec(location.hash) ?? [];
  if (secret && invitation) invitation.value = secret;
  // A text that is not a link stays visible.
  if (!invitation?.value || (!secret && invitation.matches('[aria-invalid]'))) return;
  // People need not see the secret.
  form.querySelector('[data-invitation]').hidden = true;
  history.replaceState(null, '', form.getAttribute('action'));
  form.querySelector('button').focus(unmarked);
  // Without a fragment, the service has already written the names.
  if (secret) await nameInvitation(form, invitation.value);
}

/** Shows whom the invitation is for and who made it, or that it cannot be opened. Does not use it up. */
async function nameInvitation(form, invitation) {
  const body = new URLSearchParams({ invitation });
  try {
    const answer = await fetch(`${form.getAttribute('action')}/look`, { method: 'POST', body });
    if (answer.status !== 200) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const main = page.querySelector('main.sign-in');
    if (!main || !form.isConnected) return;
    form.closest('main').replaceWith(main);
    main.dispatchEvent(new Event('desk:sign-in', { bubbles: true }));
    if (main.querySelector('[name="invitation"]').value)
      main.querySelector('[data-open] button').focus(unmarked);
    prepare();
  } catch {
    // The link can be opened without names.
  }
}
fillInvitationFromUrl();
// A second link only changes the fragment of this page.
addEventListener('hashchange', fillInvitationFromUrl);

prepare();
