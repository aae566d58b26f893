CREATE TABLE `brands` (
	`brand_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `brand_id`)
);
--> statement-breakpoint
CREATE INDEX `brands_by_age` ON `brands` (`tenant_id`,`created_at`,`brand_id`);--> statement-breakpoint
CREATE INDEX `pages_by_brand` ON `pages` (`tenant_id`,`brand_id`,`created_at`,`page_id`);
