/** How the bytes of a device are made to go, and how it is checked that they have. */

export const WIPE_METHODS = ['zero-head', 'zero-all', 'discard', 'random-all'] as const;
export type WipeMethod = (typeof WIPE_METHODS)[number];

export const VERIFICATIONS = ['sample', 'all'] as const;
export type Verification = (typeof VERIFICATIONS)[number];
