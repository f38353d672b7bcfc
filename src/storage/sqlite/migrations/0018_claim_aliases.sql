-- The alias that a custom domain shows; null for the site's active deployment.
ALTER TABLE claims ADD COLUMN alias TEXT;
