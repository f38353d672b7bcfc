-- Draws a site and a file of it by Zipf's law with exponent 1: file number r of all is asked for 1/r times as often as
-- the first. Requests are written beforehand, so that the load generator only draws.
local requests, total = {}, 0

function init(args)
  local sites, files, port = tonumber(args[1]), tonumber(args[2]), args[3]
  total = sites * files
  math.randomseed(os.time())
  -- A permutation that spreads the ranks over the sites: popular files are not all on one of them.
  local step = 7919
  for rank = 1, total do
    local file = (rank * step) % total
    local site = file % sites
    local name = math.floor(file / sites)
    requests[rank] = "GET /" .. name .. ".html HTTP/1.1\r\nHost: site-" .. site .. ".localhost:" .. port .. "\r\n\r\n"
  end
end

function request()
  return requests[math.floor(math.exp(math.random() * math.log(total + 1)))]
end
