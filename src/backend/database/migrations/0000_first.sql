-- IF NOT EXISTS was added by hand: databases that are older than this file have all of it.
CREATE TABLE IF NOT EXISTS `api_keys` (
	`key_hash` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `audiences` (
	`audience_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`page_id` text NOT NULL,
	`computed_name` text NOT NULL,
	`custom_name` text,
	`is_new_page_agent` integer NOT NULL,
	`person_id` text,
	`person_route_key` text,
	`status` text NOT NULL,
	`supplementary_context` text,
	`action_form_id_override` text,
	`action_form_instructions_override` text,
	`action_url_override` text,
	`metadata_override` text,
	`latest_version_id` text NOT NULL,
	`published_version_id` text,
	`archived_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `audiences_by_page` ON `audiences` (`tenant_id`,`page_id`,`created_at`,`audience_id`);--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `page_links` (
	`page_link_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`tenant_domain_id` text NOT NULL,
	`path` text NOT NULL,
	`target_type` text NOT NULL,
	`audience_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `links_by_path` ON `page_links` (`tenant_id`,`tenant_domain_id`,`path`,`page_link_id`);--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `pages` (
	`page_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`title` text NOT NULL,
	`brand_id` text NOT NULL,
	`page_context` text NOT NULL,
	`page_type` text NOT NULL,
	`status` text NOT NULL,
	`actions` text NOT NULL,
	`action_card_widgets` text NOT NULL,
	`scripts` text NOT NULL,
	`footer_links` text NOT NULL,
	`header_action_id` text,
	`metadata` text,
	`archived_at` integer,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `pages_by_tenant` ON `pages` (`tenant_id`,`name`,`page_id`);--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `publish_operations` (
	`tenant_id` text NOT NULL,
	`operation_key` text NOT NULL,
	`version_id` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `operation_key`)
);
--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `tenant_domains` (
	`tenant_domain_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`host` text NOT NULL,
	`is_fallback` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `tenant_domains_by_tenant` ON `tenant_domains` (`tenant_id`,`is_fallback`);--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `topic_entries` (
	`topic_entry_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`topic_id` text NOT NULL,
	`sort_order` real NOT NULL,
	`content` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `entries_by_topic` ON `topic_entries` (`tenant_id`,`topic_id`,`sort_order`,`topic_entry_id`);--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `topics` (
	`topic_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`title` text NOT NULL,
	`purpose` text,
	`sort_order` real NOT NULL,
	`is_default` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `topics_by_order` ON `topics` (`tenant_id`,`sort_order`,`topic_id`);--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `audience_versions` (
	`version_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`audience_id` text NOT NULL,
	`version_number` integer NOT NULL,
	`status` text NOT NULL,
	`is_new_page_agent` integer NOT NULL,
	`supplementary_context` text,
	`queue_duration_ms` integer,
	`created_at` integer NOT NULL,
	`became_draft_at` integer,
	`queued_at` integer,
	`published_at` integer,
	`cancelled_at` integer,
	`obsolete_at` integer,
	`archived_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX IF NOT EXISTS `versions_by_audience` ON `audience_versions` (`tenant_id`,`audience_id`,`version_number`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `versions_by_status` ON `audience_versions` (`status`);--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `account_logs` (
	`account_log_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`account_id` text NOT NULL,
	`source` text NOT NULL,
	`type` text NOT NULL,
	`payload` text NOT NULL,
	`idempotency_key` text,
	`created_at` integer NOT NULL,
	`updated_at` integer,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `account_logs_by_age` ON `account_logs` (`tenant_id`,`account_id`,`created_at`,`account_log_id`);--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `accounts` (
	`account_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`domain` text NOT NULL,
	`name` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `accounts_by_age` ON `accounts` (`tenant_id`,`created_at`,`account_id`);--> statement-breakpoint
CREATE UNIQUE INDEX IF NOT EXISTS `accounts_by_domain` ON `accounts` (`tenant_id`,`domain`);--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `person_logs` (
	`person_log_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`person_id` text NOT NULL,
	`source` text NOT NULL,
	`type` text NOT NULL,
	`payload` text NOT NULL,
	`idempotency_key` text,
	`created_at` integer NOT NULL,
	`updated_at` integer,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `person_logs_by_age` ON `person_logs` (`tenant_id`,`person_id`,`created_at`,`person_log_id`);--> statement-breakpoint
CREATE TABLE IF NOT EXISTS `persons` (
	`person_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`email` text,
	`domain` text,
	`slug` text NOT NULL,
	`phone_number` text,
	`linkedin_profile_url` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `persons_by_age` ON `persons` (`tenant_id`,`created_at`,`person_id`);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS `persons_by_domain` ON `persons` (`tenant_id`,`domain`,`created_at`,`person_id`);