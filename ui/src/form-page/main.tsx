import '@fontsource-variable/inter';
import '../kit/tokens.css';
import '../kit/kit.css';
import './form-page.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { applyLanguage } from '../i18n/index.ts';
import { FormPage } from './form-page.tsx';

const root = document.getElementById('root');
const show = () => { if (root) createRoot(root).render(<StrictMode><CSPProvider disableStyleElements><FormPage address={window.location.pathname} /></CSPProvider></StrictMode>); };
applyLanguage(undefined).then(show, show);
