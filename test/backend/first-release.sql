CREATE TABLE account_logs (
  account_log_id text PRIMARY KEY NOT NULL,
  tenant_id text NOT NULL,
  account_id text NOT NULL,
  source text NOT NULL,
  type text NOT NULL,
  payload text NOT NULL,
  idempotency_key text,
  created_at integer NOT NULL,
  updated_at integer,
  deleted_at integer
  );
CREATE TABLE accounts (
  account_id text PRIMARY KEY NOT NULL,
  tenant_id text NOT NULL,
  domain text NOT NULL,
  name text,
  created_at integer NOT NULL,
  updated_at integer NOT NULL
  );
CREATE TABLE api_keys (
  key_hash text PRIMARY KEY NOT NULL,
  tenant_id text NOT NULL
  );
CREATE TABLE audience_versions (
  version_id text PRIMARY KEY NOT NULL,
  tenant_id text NOT NULL,
  audience_id text NOT NULL,
  version_number integer NOT NULL,
  status text NOT NULL,
  is_new_page_agent integer NOT NULL,
  supplementary_context text,
  queue_duration_ms integer,
  created_at integer NOT NULL,
  became_draft_at integer,
  queued_at integer,
  published_at integer,
  cancelled_at integer,
  obsolete_at integer,
  archived_at integer
  );
CREATE TABLE audiences (
  audience_id text PRIMARY KEY NOT NULL,
  tenant_id text NOT NULL,
  page_id text NOT NULL,
  computed_name text NOT NULL,
  custom_name text,
  is_new_page_agent integer NOT NULL,
  person_id text,
  person_route_key text,
  status text NOT NULL,
  supplementary_context text,
  action_form_id_override text,
  action_form_instructions_override text,
  action_url_override text,
  metadata_override text,
  latest_version_id text NOT NULL,
  published_version_id text,
  archived_at integer,
  created_at integer NOT NULL
  );
CREATE TABLE backend_migrations (name text PRIMARY KEY, applied_at integer);
CREATE TABLE page_links (
  page_link_id text PRIMARY KEY NOT NULL,
  tenant_id text NOT NULL,
  tenant_domain_id text NOT NULL,
  path text NOT NULL,
  target_type text NOT NULL,
  audience_id text NOT NULL,
  created_at integer NOT NULL,
  updated_at integer NOT NULL,
  deleted_at integer
  );
CREATE TABLE pages (
  page_id text PRIMARY KEY NOT NULL,
  tenant_id text NOT NULL,
  name text NOT NULL,
  title text NOT NULL,
  brand_id text NOT NULL,
  page_context text NOT NULL,
  page_type text NOT NULL,
  status text NOT NULL,
  actions text NOT NULL,
  action_card_widgets text NOT NULL,
  scripts text NOT NULL,
  footer_links text NOT NULL,
  header_action_id text,
  metadata text,
  archived_at integer,
  deleted_at integer,
  created_at integer NOT NULL,
  updated_at integer NOT NULL
  );
CREATE TABLE person_logs (
  person_log_id text PRIMARY KEY NOT NULL,
  tenant_id text NOT NULL,
  person_id text NOT NULL,
  source text NOT NULL,
  type text NOT NULL,
  payload text NOT NULL,
  idempotency_key text,
  created_at integer NOT NULL,
  updated_at integer,
  deleted_at integer
  );
CREATE TABLE persons (
  person_id text PRIMARY KEY NOT NULL,
  tenant_id text NOT NULL,
  name text NOT NULL,
  email text,
  domain text,
  slug text NOT NULL,
  phone_number text,
  linkedin_profile_url text,
  created_at integer NOT NULL,
  updated_at integer NOT NULL
  );
CREATE TABLE publish_operations (
  tenant_id text NOT NULL,
  operation_key text NOT NULL,
  version_id text NOT NULL,
  PRIMARY KEY(tenant_id, operation_key)
  );
CREATE TABLE tenant_domains (
  tenant_domain_id text PRIMARY KEY NOT NULL,
  tenant_id text NOT NULL,
  host text NOT NULL,
  is_fallback integer NOT NULL
  );
CREATE TABLE topic_entries (
  topic_entry_id text PRIMARY KEY NOT NULL,
  tenant_id text NOT NULL,
  topic_id text NOT NULL,
  sort_order real NOT NULL,
  content text NOT NULL,
  created_at integer NOT NULL,
  updated_at integer NOT NULL
  );
CREATE TABLE topics (
  topic_id text PRIMARY KEY NOT NULL,
  tenant_id text NOT NULL,
  title text NOT NULL,
  purpose text,
  sort_order real NOT NULL,
  is_default integer NOT NULL,
  created_at integer NOT NULL,
  updated_at integer NOT NULL
  );
CREATE INDEX account_logs_by_age ON account_logs (tenant_id,account_id,created_at,account_log_id);
CREATE INDEX accounts_by_age ON accounts (tenant_id,created_at,account_id);
CREATE UNIQUE INDEX accounts_by_domain ON accounts (tenant_id,domain);
CREATE INDEX audiences_by_page ON audiences (tenant_id,page_id,created_at,audience_id);
CREATE INDEX entries_by_topic ON topic_entries (tenant_id,topic_id,sort_order,topic_entry_id);
CREATE INDEX links_by_path ON page_links (tenant_id,tenant_domain_id,path,page_link_id);
CREATE INDEX pages_by_tenant ON pages (tenant_id,name,page_id);
CREATE INDEX person_logs_by_age ON person_logs (tenant_id,person_id,created_at,person_log_id);
CREATE INDEX persons_by_age ON persons (tenant_id,created_at,person_id);
CREATE INDEX persons_by_domain ON persons (tenant_id,domain,created_at,person_id);
CREATE INDEX tenant_domains_by_tenant ON tenant_domains (tenant_id,is_fallback);
CREATE INDEX topics_by_order ON topics (tenant_id,sort_order,topic_id);
CREATE UNIQUE INDEX versions_by_audience ON audience_versions (tenant_id,audience_id,version_number);
CREATE INDEX versions_by_status ON audience_versions (status);
INSERT INTO api_keys VALUES ('2a97516c354b68848cdbd8f54a226a0a55b21ed138e207ad6c5cbb9c00aa5aea', 'tenant_demo');
INSERT INTO api_keys VALUES ('db4f11c530cb36afc7ac46bb1bcaa77faa9c47ff01de3ec29dd7579a6c21395a', 'tenant_demo_two');
INSERT INTO backend_migrations VALUES ('001-first-tables', 1795345992047);
INSERT INTO pages VALUES ('page_0hoeak9bu3ceeb354', 'tenant_demo', 'Kept', 'Kept', 'b', 'c', 'inbound', 'draft', '[]', '[]', '[]', '[]', NULL, NULL, NULL, NULL, 1795345992255, 1795345992255);
INSERT INTO tenant_domains VALUES ('domain_demo_fallback', 'tenant_demo', 'harbour.pages.example', 1);
INSERT INTO tenant_domains VALUES ('domain_demo_custom', 'tenant_demo', 'go.harbour.example', 0);
INSERT INTO tenant_domains VALUES ('domain_demo_two_fallback', 'tenant_demo_two', 'orchard.pages.example', 1);
INSERT INTO tenant_domains VALUES ('domain_demo_two_custom', 'tenant_demo_two', 'go.orchard.example', 0);
