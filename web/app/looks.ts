// Light or dark: what the person chose, or what the system has.

import { computed, effect, signal } from '@preact/signals';
import { darkLook, lightLook } from '#weft/report/page/look.js';

const system = matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(system.matches);
system.addEventListener('change', () => (isSystemDark.value = system.matches));

/** null: the system's */
const chosen = signal<'light' | 'dark' | null>(stored());

export const isDark = computed(() => (chosen.value === null ? isSystemDark.value : chosen.value === 'dark'));
export const look = computed(() => (isDark.value ? darkLook : lightLook));

effect(() => {
  if (chosen.value === null) return;
  document.documentElement.dataset['look'] = chosen.value;
  try {
    localStorage.setItem('weft-look', chosen.value);
  } catch {
    // a page without storage forgets it
  }
});

/** The other one from now on. */
export function changeLook(): void {
  chosen.value = isDark.value ? 'light' : 'dark';
}

function stored(): 'light' | 'dark' | null {
  try {
    const found = localStorage.getItem('weft-look');
    return found === 'light' || found === 'dark' ? found : null;
  } catch {
    return null;
  }
}
