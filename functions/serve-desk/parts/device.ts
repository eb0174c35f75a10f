/** The device and the browser of a person, according to the `User-Agent` header. */

const devices = ['iPhone', 'iPad', 'Android', 'Windows', 'Mac', 'Linux'];

// Most browsers also name the browsers that they descend from, which are later in this list.
const browsers: readonly [sign: string, name: string][] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['FxiOS/', 'Firefox'],
  ['Firefox/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];

/** Returns the kind of device, such as “iPhone”. */
export function deviceOf(userAgent: string): string {
  return devices.find((device) => userAgent.includes(device)) ?? 'This device';
}

/** Returns the browser and the kind of device, such as “Safari on iPhone”; undefined if neither is known. */
export function browserOf(userAgent: string): string | undefined {
  const device = devices.find((each) => userAgent.includes(each));
  const [, browser] = browsers.find(([sign]) => userAgent.includes(sign)) ?? [];
  return browser && device ? `${browser} on ${device}` : (browser ?? device);
}
