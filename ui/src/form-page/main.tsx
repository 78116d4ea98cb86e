import '@fontsource-variable/inter';
import '../kit/tokens.css';
import '../kit/kit.css';
import './form-page.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { FormPage } from './form-page.tsx';

const root = document.getElementById('root');
if (root) createRoot(root).render(<StrictMode><FormPage address={window.location.pathname} /></StrictMode>);
