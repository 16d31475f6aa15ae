/** Nodes of which there is nothing to show and nothing to say. Pure. */
import type { NodeRow } from '../../src/console/model.ts';

export const isIdle = ({ health, devices, groups, otherVolumes, doubts, remarks }: NodeRow): boolean =>
  health === 'well' &&
  devices.length === 0 &&
  groups.length === 0 &&
  otherVolumes === undefined &&
  doubts === undefined &&
  remarks.length === 0;
