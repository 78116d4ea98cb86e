import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import './kit/tokens.css';
import './kit/kit.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { listenForToken } from './api/client.ts';
import { noteRefused, signInInfo } from './api/sign-in.ts';
import { whenRefused } from './api/transport/http.ts';
import { App } from './screens/app.tsx';

listenForToken();
whenRefused(() => { noteRefused(); return signInInfo(); });

const root = document.getElementById('root');
if (root) createRoot(root).render(<StrictMode><CSPProvider disableStyleElements><App /></CSPProvider></StrictMode>);
