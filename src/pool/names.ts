/** What the objects of a pool are called. */

export const serviceNameOf = (pool: string): string => `${pool}-srv`;
export const statefulSetNameOf = (pool: string): string => `${pool}-sts`;
export const tokenSecretNameOf = (pool: string): string => `${pool}-token`;
export const budgetNameOf = (pool: string): string => `${pool}-pdb`;
export const podNameOf = (pool: string, ordinal: number): string => `${statefulSetNameOf(pool)}-${ordinal}`;
export const claimNameOf = (pool: string, ordinal: number): string => `vol-${podNameOf(pool, ordinal)}`;

/** The pool and the ordinal that a claim's name tells; nothing when it is not one of ours. */
export function memberOfClaim(claim: string): { readonly pool: string; readonly ordinal: number } | undefined {
  const [, pool, ordinal] = /^vol-(.+)-sts-(0|[1-9]\d{0,5})$/.exec(claim) ?? [];
  return pool === undefined ? undefined : { pool, ordinal: Number(ordinal) };
}
