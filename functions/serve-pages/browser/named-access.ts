/**
 * Reads nodes of a page that is not ours. On such a page, `<img name="head">` hides `document.head`, and
 * `<input name="matches">` hides the method of its form, because named elements hide the properties of
 * documents and forms (https://html.spec.whatwg.org/#dom-document-nameditem).
 */

/** Returns a property of an element as browsers define it. */
export function propertyOf<Name extends keyof HTMLElement>(element: Element, name: Name): HTMLElement[Name] {
  return Reflect.get(HTMLElement.prototype, name, element);
}

type Method = 'getAttribute' | 'getBoundingClientRect' | 'getRootNode' | 'matches' | 'querySelectorAll';

/** Calls a method of an element as browsers define it. */
export function callOn<Name extends Method>(
  element: Element,
  name: Name,
  ...args: Parameters<HTMLElement[Name]>
): ReturnType<HTMLElement[Name]> {
  return Reflect.apply(propertyOf(element, name), element, args);
}

/** True while the page is hidden from the visitor. */
export function isPageHidden(): boolean {
  return Reflect.get(Document.prototype, 'hidden', document);
}
