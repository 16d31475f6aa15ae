/** The caller's token: it stays in this tab, and goes with it. */
const KEY = 'holdfast-token';

export function keptToken(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepToken(token: string | undefined): void {
  try {
    if (token === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
  } catch {
    // It is asked for again when the page is loaded anew.
  }
}
