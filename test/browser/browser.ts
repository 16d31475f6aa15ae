/** A real browser with a fresh profile, and pages of it that note whatever a page of ours must never do. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { VIEWPORTS } from './screens.ts';

/** A name that is not of this machine to the browser, though it leads here. */
export const ELSEWHERE = 'console.example.com';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`,
];

export class TestBrowser implements AsyncDisposable {
  readonly #context: BrowserContext;
  readonly #profile: string;

  private constructor(context: BrowserContext, profile: string) {
    this.#context = context;
    this.#profile = profile;
  }

  static async open(options: BrowserContextOptions = {}): Promise<TestBrowser> {
    const profile = await mkdtemp(join(tmpdir(), 'holdfast-browser-'));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: FLAGS,
      viewport: VIEWPORTS.desktop,
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(15_000);
    return new TestBrowser(context, profile);
  }

  /** `url` is the console's, which is opened: whatever goes elsewhere is an offence. */
  async page(url: string): Promise<WatchedPage> {
    const page = await this.#context.newPage();
    const offences: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') offences.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (problem) => offences.push(`error: ${problem.message}`));
    page.on('request', (request) => {
      const target = request.url();
      if (!target.startsWith(url) && !target.startsWith('data:')) offences.push(`request: ${target}`);
    });
    if (url !== '') await page.goto(url);
    return { page, offences };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
    await rm(this.#profile, { recursive: true, force: true });
  }
}

/** What the browser itself says of the page: evaluated outside of its content policy. */
export const told = <T>(page: Page, expression: string): Promise<T> => page.evaluate<T>(expression);

export interface WatchedPage {
  readonly page: Page;
  /** Messages of trouble in its console, among them what the content policy forbade; errors; requests to anybody else. */
  readonly offences: string[];
}
