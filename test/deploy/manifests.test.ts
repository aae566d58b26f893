/**
 * The image's file, the compose file and the manifests of `deploy/`: types of Kubernetes, settings that exist, times and
 * ports that agree.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { GROUPS, readConfig } from '../../src/app/config.ts';
import { Metrics } from '../../src/gateway/observe/metrics/metrics.ts';
import { namesOf } from '../../src/gateway/settings/setting.ts';
import { SETTINGS } from '../../src/app/settings/table.ts';
import { openFolder } from '../support/folder.ts';
import { openGateway } from '../support/open-gateway.ts';
import { readProxy } from '../support/proxy.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const KUBERNETES = join(ROOT, 'deploy/kubernetes');
const BASE = join(KUBERNETES, 'base');
const PRODUCTION = join(KUBERNETES, 'overlays/production');

const read = (file: string): string => readFileSync(join(ROOT, 'deploy', file), 'utf8');
const manifest = (file: string) => parse(readFileSync(join(BASE, file), 'utf8'));

const dockerfile = read('Dockerfile');
const compose = parse(read('compose.yaml'), { merge: true });
const base = manifest('kustomization.yaml');
const production = parse(readFileSync(join(PRODUCTION, 'kustomization.yaml'), 'utf8'));
const deployment = manifest('deployment.yaml');
const pod = deployment.spec.template.spec;
const [container] = pod.containers;

/** `NAME=value` lines. */
const variables = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(lines.filter(Boolean).map((line) => line.split(/=(.*)/s).slice(0, 2)));

const baseSettings = variables(readFileSync(join(BASE, 'settings.env'), 'utf8').split('\n'));
const settings: Record<string, Record<string, string>> = {
  'the base': baseSettings,
  'the overlay': { ...baseSettings, ...variables(production.configMapGenerator[0].literals) },
  "compose's gateway": compose.services['gateway-1'].environment,
  "compose's backend": compose.services.backend.environment,
  'the image': variables(
    [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) => line!.split(' ')),
  ),
};

/** A manifest's kind, and the type of kubernetes-models that it must have. */
const TYPES: Readonly<Record<string, string>> = {
  ConfigMap: 'v1/ConfigMap',
  Deployment: 'apps/v1/Deployment',
  HorizontalPodAutoscaler: 'autoscaling/v2/HorizontalPodAutoscaler',
  NetworkPolicy: 'networking.k8s.io/v1/NetworkPolicy',
  PodDisruptionBudget: 'policy/v1/PodDisruptionBudget',
  Service: 'v1/Service',
};

/** Errors of `tsc` for manifests that are written as literals of TypeScript, by their names. */
function typeFaults(manifests: Readonly<Record<string, { readonly kind: string }>>): string[] {
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  // In the repository, so that its packages are found.
  const folder = mkdtempSync(join(cache, 'manifests-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  for (const [name, one] of Object.entries(manifests)) {
    writeFileSync(
      join(folder, `${name}.ts`),
      `import type { I${one.kind} } from 'kubernetes-models/${TYPES[one.kind]}';
       export default ${JSON.stringify(one)} satisfies I${one.kind};`,
    );
  }
  const flags =
    '--noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler --target es2022';
  const { stdout } = spawnSync(
    join(ROOT, 'node_modules/.bin/tsc'),
    [...flags.split(' '), '--types', 'node', ...Object.keys(manifests).map((name) => `${name}.ts`)],
    { cwd: folder, encoding: 'utf8' },
  );
  return stdout.split('\n').filter((line) => /^\S/.test(line));
}

describe('manifests', () => {
  it('have the types of Kubernetes, which detect a misspelt field and a wrong value', () => {
    const right = Object.fromEntries(
      base.resources.map((file: string) => [file.replace('.yaml', ''), manifest(file)]),
    );
    const misspelt = structuredClone(deployment);
    misspelt.spec.template.spec.containers[0].readinessProbe.periodSecond = 2;
    const wrong = { ...deployment, spec: { ...deployment.spec, replicas: 'two' } };

    const faults = typeFaults({ ...right, misspelt, wrong });

    expect(faults.filter((line) => !/^(?:misspelt|wrong)\.ts/.test(line))).toEqual([]);
    expect(faults.filter((line) => line.startsWith('misspelt.ts'))).toHaveLength(1);
    expect(faults.filter((line) => line.startsWith('wrong.ts'))).toHaveLength(1);
  });

  it('are all listed in kustomization.yaml', () => {
    const files = readdirSync(BASE).filter((file) => file.endsWith('.yaml'));

    expect([...base.resources, 'kustomization.yaml'].sort()).toEqual(files.sort());
  });

  const kustomize = [
    ['kubectl', 'kustomize'],
    ['kustomize', 'build'],
  ].find(([program]) => spawnSync(program!, ['version', '--client']).error === undefined);
  if (!kustomize) process.stderr.write('kustomize is not installed: the overlay is not built.\n');

  it.skipIf(!kustomize)(
    'are built by kustomize into manifests with the types of Kubernetes',
    () => {
      const [program, command] = kustomize!;

      const text = execFileSync(program!, [command!, PRODUCTION], { encoding: 'utf8' });

      const built = parseAllDocuments(text).map((document) => document.toJS());
      const named = Object.fromEntries(built.map((one, i) => [`${one.kind}-${i}`, one]));
      expect(typeFaults(named)).toEqual([]);
      expect(built).toHaveLength(base.resources.length + base.configMapGenerator.length);
      const { data } = built.find(({ metadata }) => metadata.name.startsWith('gateway-settings-'));
      expect(data).toEqual(settings['the overlay']);
    },
  );

  it('select the same pods', () => {
    const { labels } = deployment.spec.template.metadata;
    const selectors = [
      deployment.spec.selector.matchLabels,
      manifest('service.yaml').spec.selector,
      manifest('pdb.yaml').spec.selector.matchLabels,
      manifest('networkpolicy.yaml').spec.podSelector.matchLabels,
      ...pod.topologySpreadConstraints.map(({ labelSelector }: any) => labelSelector.matchLabels),
    ];

    for (const selector of selectors) expect(selector).toEqual(labels);
    expect(manifest('hpa.yaml').spec.scaleTargetRef.name).toBe(deployment.metadata.name);
  });

  it('give a pod no root, no service account token, no capability and no writable root file system', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000 },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('scale by a metric that the gateway exports', async () => {
    const [{ pods }] = manifest('hpa.yaml').spec.metrics;
    const { registry } = new Metrics({ ofProcess: true });

    expect(await registry.getSingleMetricAsString(pods.metric.name)).toContain('# TYPE');
  });
});

describe('times', () => {
  /** How long a process may take to stop, in seconds. */
  const stopOf = (env: Readonly<Record<string, string | number>>): number => {
    const { drainDelayMs, shutdownTimeoutMs } = readConfig({
      DRAIN_DELAY_MS: String(env['DRAIN_DELAY_MS'] ?? ''),
      SHUTDOWN_TIMEOUT_MS: String(env['SHUTDOWN_TIMEOUT_MS'] ?? ''),
    }).process;
    return (drainDelayMs + shutdownTimeoutMs) / 1_000;
  };

  it.each(['the base', 'the overlay'])(
    'of grace in Kubernetes exceed the sum of all waits by five seconds, with the settings of %s',
    (name) => {
      const waits = container.lifecycle.preStop.sleep.seconds + stopOf(settings[name]!);

      expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(waits + 5);
    },
  );

  it.each(['gateway-1', 'gateway-2', 'gateway-3', 'backend'])(
    'of grace in compose exceed the sum of all waits of %s by five seconds',
    (name) => {
      const { environment, stop_grace_period: grace } = compose.services[name];

      expect(parseInt(grace)).toBeGreaterThanOrEqual(stopOf(environment) + 5);
    },
  );

  it('of probes allow 20 seconds for a start, and detect a pod that is not ready within 5 seconds and a dead one after 30', () => {
    const { startupProbe, readinessProbe, livenessProbe } = container;

    const paths = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path);
    expect(paths).toEqual(['/ready', '/ready', '/health']);
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(20);
    expect(readinessProbe.periodSeconds * readinessProbe.failureThreshold).toBeLessThanOrEqual(5);
    expect(livenessProbe.periodSeconds * livenessProbe.failureThreshold).toBeGreaterThanOrEqual(30);
  });
});

describe('settings', () => {
  const names = GROUPS.flatMap(({ settings }) => Object.values(settings).flatMap(namesOf));

  it.each(Object.entries(settings))('of %s all exist, and have valid values', (_name, env) => {
    const { NODE_ENV: _, ...own } = env;
    // The folder of the image does not exist here, so that another one stands for it.
    const { TRUSTED_DOCUMENTS: folder } = own;
    const here = folder === undefined ? {} : { TRUSTED_DOCUMENTS: join(BASE, 'documents') };

    expect(Object.keys(own).filter((name) => !names.includes(name))).toEqual([]);
    const texts = Object.entries(own).map(([name, value]) => [name, String(value)]);
    expect(readConfig({ ...Object.fromEntries(texts), ...here }).warnings).toEqual([]);
  });

  it('name the folder of the trusted documents, which the gateway loads from the layout of a ConfigMap', async () => {
    const [mount] = container.volumeMounts;
    const generated = base.configMapGenerator.map(({ name }: any) => name);
    const [documents] = base.configMapGenerator[1].files;
    const folder = openFolder();
    const file = documents.replace('documents/', '');
    mkdirSync(join(folder, '..2026'));
    cpSync(join(BASE, documents), join(folder, '..2026', file));
    symlinkSync('..2026', join(folder, '..data'));
    symlinkSync(join('..data', file), join(folder, file));
    const site = await openGateway({ documents: { folder, only: true } });
    onTestFinished(() => site.gateway.close());
    await site.gateway.open();

    const ready = await fetch(`${site.url}/ready`).then((answer) => answer.json());

    expect(mount.mountPath).toBe(baseSettings['TRUSTED_DOCUMENTS']);
    expect(pod.volumes[0].configMap.name).toBe(generated[1]);
    expect(container.envFrom[0].configMapRef.name).toBe(generated[0]);
    expect(ready.trustedDocuments).toMatchObject({ files: 1, documents: 1, invalid: 0, bad: null });
  });
});

describe('ports', () => {
  const PORT = Number(SETTINGS.http.settings.port.unset);

  it('of the manifests are those of the settings', () => {
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: any) => [name, String(containerPort)]),
    );

    expect(ports).toEqual({ http: baseSettings['PORT'], admin: baseSettings['ADMIN_PORT'] });
    expect(baseSettings['PORT']).toBe(String(PORT));
    const { annotations } = deployment.spec.template.metadata;
    expect(annotations['prometheus.io/port']).toBe(ports['admin']);
    const targets = [
      manifest('service.yaml').spec.ports[0].targetPort,
      ...manifest('networkpolicy.yaml').spec.ingress.map(({ ports: [{ port }] }: any) => port),
      ...[container.startupProbe, container.readinessProbe, container.livenessProbe].map(
        ({ httpGet }) => httpGet.port,
      ),
    ];
    expect(targets.filter((name: string) => !(name in ports))).toEqual([]);
  });

  it('of the image, of compose and of the proxies are those of the settings', () => {
    const { proxy, backend, ...gateways } = compose.services;
    const served = Object.keys(gateways).filter((name) => name.startsWith('gateway-'));

    expect(dockerfile).toContain(`\nEXPOSE ${PORT}\n`);
    for (const name of served) {
      const { environment } = gateways[name];
      expect(environment.UPSTREAM_URL).toBe(`http://backend:${backend.environment.PORT}`);
      expect(environment.PORT ?? PORT).toBe(PORT);
      expect(gateways).toHaveProperty(new URL(environment.REDIS_URL).hostname);
    }
    for (const file of ['nginx.conf', 'haproxy.cfg']) {
      const behind = readProxy(file).match(/gateway-\d:\d+/g);
      expect(behind).toEqual(served.map((name) => `${name}:${PORT}`));
    }
    const [published] = proxy.ports;
    const [, listens] = /^ {2}listen (\d+);/m.exec(readProxy('nginx.conf'))!;
    expect(published).toBe(`127.0.0.1:${listens}:${listens}`);
  });
});

describe('a scrape by Prometheus', () => {
  const { annotations } = deployment.spec.template.metadata;
  const [{ static_configs }] = parse(read('observability/prometheus.yaml')).scrape_configs;
  const inKubernetes = [`10.1.2.3:${annotations['prometheus.io/port']}`];
  const [{ pods }] = manifest('hpa.yaml').spec.metrics;

  it.each([
    ['the base', inKubernetes, annotations['prometheus.io/path']],
    ['the overlay', inKubernetes, annotations['prometheus.io/path']],
    ["compose's gateway", static_configs[0].targets, '/metrics'],
  ])('finds the metrics of %s by the addresses in its files', async (name, targets, path) => {
    const { UPSTREAM_URL: _, REDIS_URL: _redis, REDIS_SECRET: _secret, ...own } = settings[name]!;
    const { port: adminPort } = new URL(`http://${targets[0]}`);
    expect(String(own['ADMIN_PORT'])).toBe(adminPort);
    const folder = own['TRUSTED_DOCUMENTS'] && { TRUSTED_DOCUMENTS: join(BASE, 'documents') };
    const gateway = await openGateway({
      backend: 'faulty',
      process: {
        ...settings['the image'],
        ...own,
        ...folder,
        PORT: '0',
        ADMIN_PORT: '0',
        LOG_LEVEL: 'info',
      },
    });
    const [, admin] = /Metrics and readiness at (http:[\w.:/]+)/.exec(gateway.output)!;

    for (const host of [...targets, '127.0.0.1:4001', 'gateway.content-pages.svc:4001']) {
      const { status, text: metrics } = await getAs(host, `${admin}${path}`);

      expect([host, status]).toEqual([host, 200]);
      expect(metrics).toContain(`# TYPE ${pods.metric.name} gauge`);
    }
    for (const { httpGet } of [
      ...[container.startupProbe, container.readinessProbe, container.livenessProbe],
    ]) {
      expect((await getAs('10.1.2.3:4000', `${gateway.url}${httpGet.path}`)).status).toBe(200);
    }
  });
});

/** GET with another `Host` than the URL's, which `fetch` does not allow. */
async function getAs(host: string, url: string): Promise<{ status: number; text: string }> {
  const asked = request(url, { headers: { host } }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, text: await text(response) };
}

describe('the image', () => {
  const { scripts, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

  it('starts node as `npm start` does', () => {
    const [, entry] = /^ENTRYPOINT (.*)$/m.exec(dockerfile)!;
    const [, command] = /^CMD (.*)$/m.exec(dockerfile)!;
    const started = [...JSON.parse(entry!), ...JSON.parse(command!)].join(' ');

    expect(scripts.start).toBe(`exec ${started}`);
    expect(scripts.backend).toContain(compose.services.backend.command[0]);
  });

  it('and the commands of docs/deploying.md have the same flags', () => {
    const guide = readFileSync(join(ROOT, 'docs/deploying.md'), 'utf8');
    const flagsOf = (command: string) => command.match(/ --\S+/g);

    const commands = guide.match(/^.*\bnode --.*$/gm) ?? [];

    expect(commands).toHaveLength(2);
    for (const command of commands) expect(flagsOf(command)).toEqual(flagsOf(scripts.start));
  });

  it('has the version of the package', () => {
    expect(dockerfile).toContain(`ARG VERSION=${version}\n`);
  });

  it('is built from an allow-list of files', () => {
    const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');

    expect(lines.filter((line) => line && !/^[#!]/.test(line))).toEqual(['*', '.ci/*']);
  });

  it('runs as a user who is not root', () => {
    expect(dockerfile.match(/^USER .*$/gm)!.at(-1)).toBe('USER 1000:1000');
    expect(dockerfile.slice(dockerfile.lastIndexOf('FROM'))).not.toContain('USER 0');
  });
});
