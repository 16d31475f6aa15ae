/** Whoever makes an object by an update or an apply needs the right to create it, besides the one that the request itself asks for. */
import type { AdmissionPlugin } from '../server/admission.ts';
import type { Access } from './access.ts';

export const createByName = (access: Access): AdmissionPlugin => ({
  check: ({ operation, target: { kind, subresource, ...place }, request: { user } }) => {
    if (operation !== 'CREATE' || place.name === undefined || subresource !== undefined) return;
    const { group, version, plural } = kind.resource;
    access.authorize(user, 'create', { to: 'resource', group, version, plural, ...place });
  },
});
