/** Words on the blocks of devices can be read, whatever is behind them: axe cannot judge words that a bar of progress runs under. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeviceRow, State } from '../../src/console/model.ts';
import { TestBrowser, told, type WatchedPage } from './browser.ts';
import { aState, Times } from './fixture/objects.ts';
import { FixtureConsole } from './fixture/server.ts';

const STATES = ['available', 'bound', 'new', 'released', 'wiping', 'planned', 'failed', 'refused'] as const;

/** What WCAG asks for of text that is not large. */
const LEAST_CONTRAST = 4.5;

const times = new Times(Date.now());

/** A node with a device in each state; that which is being wiped has a bar. */
function allStates(): State {
  const state = aState(1, times);
  const [node] = Object.values(state.nodes);
  if (!node) throw new Error('the fixture has no node');
  const devices = STATES.map(
    (is): DeviceRow => ({
      ...{ path: `/dev/${is}`, volume: is, identity: is, state: is, stands: is, sizeBytes: 1024 ** 3 },
      ...(is === 'wiping' && { progress: 0.5 }),
    }),
  );
  return { ...state, nodes: { [node.name]: { ...node, devices } } };
}

interface Word {
  readonly state: string;
  readonly word: string;
  readonly beside: number;
  readonly onBar: number;
}

/** Of each word of each block: the contrast with the block, and with the bar on the block, as the browser mixes them. */
const CONTRASTS = `(() => {
  const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const mixed = (...colours) => {
    for (const colour of ['white', ...colours]) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const style = (element) => getComputedStyle(element);
  return [...document.querySelectorAll('.device-block')].flatMap((block) => {
    const ground = style(block).backgroundColor;
    const fill = block.querySelector('.device-fill');
    const bar = fill ? style(fill).backgroundColor : 'transparent';
    return [...block.children].filter((child) => child.textContent !== '').map((child) => ({
      state: block.className,
      word: child.textContent,
      beside: contrast(mixed(ground, style(child).color), mixed(ground)),
      onBar: contrast(mixed(ground, bar, style(child).color), mixed(ground, bar)),
    }));
  });
})()`;

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  let browser: TestBrowser;
  let server: FixtureConsole;
  let watched: WatchedPage;
  beforeAll(async () => {
    server = await FixtureConsole.open({ state: allStates(), times });
    browser = await TestBrowser.open({ colorScheme });
    watched = await browser.page(server.url);
    await watched.page.goto(`${server.url}#/nodes`);
    await watched.page.locator('.device-wiping').waitFor();
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test('each word on the block of a device has contrast enough, on its bar and beside it', async () => {
    const words = await told<readonly Word[]>(watched.page, CONTRASTS);
    expect(words).toHaveLength(3 * STATES.length);
    expect(words.filter(({ beside, onBar }) => beside !== onBar)).toHaveLength(3);
    const faint = words.filter(({ beside, onBar }) => Math.min(beside, onBar) < LEAST_CONTRAST);
    expect(faint).toEqual([]);
  });
});
