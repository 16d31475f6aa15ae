import { aClaim, aClass, aVolume } from '../objects.ts';
import { type Cases, get, mergePatch, post } from '../steps.ts';

const VOLUME = 'persistentvolumes/{case}';
const volume = (spec: object) => post('persistentvolumes', aVolume(spec as never));
const changed = (spec: object) => mergePatch(VOLUME, { spec });
const claim = (name: string, spec: object) => post('persistentvolumeclaims', aClaim(name, spec as never));
const changedClaim = (spec: object) => mergePatch('persistentvolumeclaims/a', { spec });
const requests = (storage: unknown) => ({ resources: { requests: { storage } } });

const on = (key: string, ...values: readonly string[]): object => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }] },
});

/** Volumes and claims: what they have to say, and what stays as it was said. */
export const volumes: Cases = {
  'a volume is given what it does not say': [post('persistentvolumes', aVolume()), get(VOLUME)],
  'a quantity is kept as it is commonly written': [
    volume({ capacity: { storage: '1024Mi' } }),
    changed({ capacity: { storage: '1.5Gi' } }),
    changed({ capacity: { storage: 2_000_000_000 } }),
    changed({ capacity: { storage: '1e9' } }),
    changed({ capacity: { storage: '0.1' } }),
  ],
  'a quantity has to be one': [
    volume({ capacity: { storage: 'much' } }),
    volume({ capacity: { storage: '1 Gi' } }),
    volume({ capacity: { storage: '' } }),
    volume({ capacity: { storage: true } }),
  ],
  'the rest of a volume may change': [
    post('persistentvolumes', aVolume()),
    changed({ capacity: { storage: '2Gi' }, persistentVolumeReclaimPolicy: 'Delete', storageClassName: 'fast' }),
    changed({ accessModes: ['ReadWriteMany', 'ReadOnlyMany'], mountOptions: ['noatime'] }),
    changed({ claimRef: { namespace: '{case}', name: 'a' } }),
    changed({ claimRef: null }),
  ],
  'what a volume is made of stays': [
    post('persistentvolumes', aVolume()),
    changed({ local: { path: '/mnt/b' } }),
    changed({ local: null, hostPath: { path: '/mnt/a' } }),
    changed({ volumeMode: 'Block' }),
    changed({ claimRef: { namespace: '{case}', name: 'a', uid: 'u1' } }),
    changed({ claimRef: { namespace: '{case}', name: 'b', uid: 'u1' } }),
  ],
  'where a volume is stays, but for the names of places': [
    post('persistentvolumes', aVolume()),
    changed({ nodeAffinity: on('kubernetes.io/hostname', 'two') }),
    changed({ nodeAffinity: null }),
  ],
  'a volume may be given a place, once': [
    volume({ local: null, hostPath: { path: '/a' }, nodeAffinity: null }),
    changed({ nodeAffinity: on('topology.kubernetes.io/zone', 'a') }),
    changed({ nodeAffinity: on('topology.kubernetes.io/zone', 'b') }),
  ],
  'the old name of a place may become the new one': [
    volume({
      local: null,
      hostPath: { path: '/a' },
      nodeAffinity: on('failure-domain.beta.kubernetes.io/zone', 'a'),
    }),
    changed({ nodeAffinity: on('topology.kubernetes.io/zone', 'a') }),
    changed({ nodeAffinity: on('failure-domain.beta.kubernetes.io/zone', 'a') }),
  ],
  'a claim stays what it asked for': [
    claim('a', {}),
    changedClaim({ accessModes: ['ReadWriteMany'] }),
    changedClaim({ storageClassName: 'other' }),
    changedClaim({ volumeMode: 'Block' }),
    changedClaim(requests('512Mi')),
    changedClaim(requests('2Gi')),
    changedClaim({ volumeName: 'one' }),
    changedClaim({ volumeName: 'two' }),
  ],
  'a claim that is bound does not shrink': [
    post('storageclasses', aClass({ allowVolumeExpansion: true })),
    claim('a', { storageClassName: '{case}', volumeName: 'one', ...requests('2Gi') }),
    mergePatch('persistentvolumeclaims/a/status', { status: { phase: 'Bound', capacity: { storage: '2Gi' } } }),
    changedClaim(requests('1Gi')),
    changedClaim(requests('3Gi')),
    changedClaim(requests('2Gi')),
    changedClaim(requests('1Gi')),
  ],
  'a status tells the phase and since when': [
    post('persistentvolumes', aVolume()),
    mergePatch(`${VOLUME}/status`, { status: { phase: 'Available' } }),
    mergePatch(`${VOLUME}/status`, { status: { phase: 'Available', message: 'x' } }),
  ],
  'a claim is given what it does not say': [claim('a', {}), get('persistentvolumeclaims/a')],
  'a bound claim does not grow where its class does not let it': [
    post('storageclasses', aClass()),
    claim('a', { storageClassName: '{case}', volumeName: 'one' }),
    mergePatch('persistentvolumeclaims/a/status', { status: { phase: 'Bound' } }),
    changedClaim(requests('2Gi')),
  ],
};
