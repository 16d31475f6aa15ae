/** Where the page begins. */
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/overview.css';
import './styles/volumes.css';
import './styles/nodes.css';
import './styles/pools.css';
import './styles/sync.css';
import './styles/waiting.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { showTheme } from './parts/theme.ts';

showTheme();
const root = document.getElementById('page');
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
