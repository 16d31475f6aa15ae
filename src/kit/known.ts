/** What was looked for: found to be something, or not to be told, and why. Who cannot tell must not take it for a no. */
export type Known<T> = { readonly known: true; readonly value: T } | { readonly known: false; readonly why: string };
