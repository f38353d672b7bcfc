-- 1 if the content was deployed as a text and is not UTF-8. It is sent without a charset.
ALTER TABLE contents ADD COLUMN legacy_text INTEGER NOT NULL DEFAULT 0;
