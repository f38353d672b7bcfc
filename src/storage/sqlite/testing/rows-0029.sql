-- What schema 29 adds: the latest batch of a thread that counts views.

INSERT INTO view_writers (writer, batch, hour) VALUES ('one', 17, 498691);
