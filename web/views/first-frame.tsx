/** The frame of the page until its console has said hello: the same that index.html has before there is a script. */
import { Brand } from '../parts/brand.tsx';

export function FirstFrame() {
  return (
    <div class="shell">
      <header class="masthead">
        <Brand />
      </header>
      <div class="navigation" />
      <main id="main">
        <div role="status">
          <h1 class="first-words">Asking the console…</h1>
        </div>
      </main>
    </div>
  );
}
