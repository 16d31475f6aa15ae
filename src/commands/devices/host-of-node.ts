/** The machine that a command runs on. */
import { systemClock } from '../../kit/clock/clock.ts';
import { type Host, realHost } from '../../kit/host/host.ts';
import { hostRoot } from '../../kit/host/host-root.ts';
import { sharedLook } from '../../kit/shared-look.ts';

/** The machine, not the container that this may run in. To look at all processes takes a while: devices that are looked at together share it. */
export async function hostOfNode(): Promise<Host> {
  const clock = systemClock;
  const host = realHost({ clock, hostRoot: await hostRoot(realHost({ clock }).files) });
  const openDevices = sharedLook(() => host.tables.openDevices());
  return { ...host, tables: { ...host.tables, openDevices } };
}
