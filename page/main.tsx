import { render } from 'preact';
import { PageApp } from './app.tsx';
import './style.css';

const root = document.getElementById('page');
if (root) render(<PageApp />, root);
