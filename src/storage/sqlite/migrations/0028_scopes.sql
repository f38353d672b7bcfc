-- What a device asks for, what a person granted it, and all that a session may do; null for everything.
ALTER TABLE device_codes ADD COLUMN scope TEXT;
ALTER TABLE device_codes ADD COLUMN granted TEXT;
ALTER TABLE sessions ADD COLUMN scope TEXT;
