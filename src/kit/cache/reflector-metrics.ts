/** What a reflector tells those who count. */
export interface ReflectorMetrics {
  listed(how: 'stream' | 'pages', objects: number, seconds: number): void;
  watchStarted(): void;
  /** Why, in the words of reflector-state.ts: ended, failed, expired, silent, disordered, rewound, denied. */
  watchEnded(why: string): void;
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'): void;
  objects(count: number): void;
}

export const uncounted: ReflectorMetrics = {
  listed() {},
  watchStarted() {},
  watchEnded() {},
  event() {},
  objects() {},
};
