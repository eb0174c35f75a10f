/** Warnings about a valid declaration that leaves something unwatched. */
import type { DeploymentContext, Stage } from './context.ts';

/** Returns the warnings, by the part that is not watched. */
export function warningsOf(context: DeploymentContext, { isProtected }: Stage): Record<string, string> {
  const { alarmEmail, truststoreUri, truststoreExpires } = context;
  const isUnheard = isProtected && (alarmEmail === undefined || isExample(alarmEmail));
  const isUndated = truststoreUri !== undefined && truststoreExpires === undefined;
  return {
    ...(isUnheard && {
      alarms: `alarmEmail is ${alarmEmail ?? 'null'}: alarms only reach those who subscribe to their topics`,
    }),
    ...(isUndated && {
      truststore:
        'truststoreUri has no truststoreExpires: no alarm is raised before a certificate in the file expires',
    }),
  };
}

/** True for an example address (https://www.rfc-editor.org/rfc/rfc2606#section-3). */
const isExample = (address: string) => /[@.]example\.(com|net|org)$/i.test(address);
