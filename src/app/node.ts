/** The name of this node among those that share the storage. It is the only one: it holds the data folder's lock. */
export const NODE = "node";
