/** A pattern for text that people will see: none of it may hide, or write over, what stands around it. */
export const NO_CONTROLS = "^[^\\u0000-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]*$";
