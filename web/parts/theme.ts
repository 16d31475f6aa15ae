/** Light or dark: as the machine prefers, unless the person chose. */
import { useEffect, useState } from 'preact/hooks';

export type Theme = 'auto' | 'light' | 'dark';
const ORDER: readonly Theme[] = ['auto', 'light', 'dark'];
const KEY = 'holdfast-theme';

export const THEME_WORDS: Readonly<Record<Theme, string>> = { auto: 'As the system', light: 'Light', dark: 'Dark' };

/** A browser may refuse to keep anything. */
function kept(): Theme {
  try {
    return ORDER.find((theme) => theme === localStorage.getItem(KEY)) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It holds until the page is left.
  }
}

export function showTheme(theme: Theme = kept()): void {
  document.documentElement.setAttribute('data-theme', theme);
}

export function useTheme(): readonly [Theme, () => void] {
  const [theme, setTheme] = useState(kept);
  useEffect(() => showTheme(theme), [theme]);
  const next = () => {
    const chosen = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? 'auto';
    keep(chosen);
    setTheme(chosen);
  };
  return [theme, next];
}
