/**
 * Every controller of Holdfast: its name, where it runs, what it reads and what it writes.
 *
 * A new controller adds its `ControllerSpec` here, from its own folder. `make manifests` then writes its RBAC to deploy/, and the
 * tests run it under exactly that.
 */

import { consoleSpec } from './console/spec.ts';
import { devicesSpec } from './devices/spec.ts';
import type { ControllerSpec } from './kit/manifests/controller-spec.ts';
import { lvmSpec } from './lvm/spec.ts';
import { poolSpec } from './pool/spec.ts';
import { syncSpec } from './sync/spec.ts';
import { topologySpec } from './topology/spec.ts';

export const controllers: readonly ControllerSpec[] = [
  topologySpec,
  devicesSpec,
  lvmSpec,
  poolSpec,
  syncSpec,
  consoleSpec,
];
