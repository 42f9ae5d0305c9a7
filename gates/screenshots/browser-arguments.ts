/** A port without a listener: requests for other machines end there. */
const NOWHERE = 'http://127.0.0.1:9';

/**
 * Builds the arguments of the browser: without anything of its own on the network, with loopback as all that it reaches, and with the same
 * picture of the same page, as far as that goes. It has no sandbox of its own: it runs as a user who can do nothing else.
 */
export const buildBrowserArguments = (profile: string): string[] => [
  '--headless=new',
  '--remote-debugging-pipe',
  `--user-data-dir=${profile}`,
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  // /dev/shm of a container is small.
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-extensions',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--metrics-recording-only',
  '--no-pings',
  '--mute-audio',
  '--password-store=basic',
  // Loopback goes past a proxy by itself, and link-local with it; so the rule for both is taken away.
  `--proxy-server=${NOWHERE}`,
  '--proxy-bypass-list=<-loopback>;127.0.0.1;localhost;[::1]',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-device-scale-factor=1',
  '--force-color-profile=srgb',
  '--force-prefers-reduced-motion',
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--hide-scrollbars',
  '--lang=en-US',
  'about:blank',
];
