/** The log of the demo's console: what people did there, or tried to, as lines for them. All else that it would log is not told. */
import type { Log } from '../../kit/observe/log.ts';
import { visible } from '../../kit/visible.ts';

export function auditLog(write: (line: string) => void, fields: object = {}): Log {
  const tell = (first: object | string, message?: string): void => {
    const [more, text] = typeof first === 'string' ? [{}, first] : [first, message ?? ''];
    const { audit, user, cluster, action, to } = { ...fields, ...more } as AuditFields;
    if (audit !== true) return;
    const what = [user, cluster, action, to && JSON.stringify(to)].filter((each) => each !== undefined).join(' ');
    write(`${visible(`audit: ${what}: ${text}`)}\n`);
  };
  return {
    trace: tell,
    debug: tell,
    info: tell,
    warn: tell,
    error: tell,
    child: (more) => auditLog(write, { ...fields, ...more }),
  };
}

interface AuditFields {
  readonly audit?: unknown;
  readonly user?: string;
  readonly cluster?: string;
  readonly action?: string;
  readonly to?: unknown;
}
